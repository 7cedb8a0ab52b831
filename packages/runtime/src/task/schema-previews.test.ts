import { Schemas, type SchemaAnnouncement, type SchemaPreview } from '@tributary/connect-api'
import { defineErrors, doneOr } from '@tributary/support'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SchemaPreviews } from './schema-previews.ts'
import { TextConverter } from './testing/text-converter.ts'

const { signal } = new AbortController()
const errors = defineErrors({
  AWAY: { message: 'the registry is away', action: '', retriable: true },
  NAME: { message: 'the name a-b is none', action: '' },
})

/** A converter that looks at schemas as the test says. */
class PreviewingConverter extends TextConverter {
  readonly topics: string[] = []
  answer: (topic: string, signal: AbortSignal) => Promise<SchemaPreview | null> = () => Promise.resolve(null)

  preview(_schema: unknown, topic: string, limit: AbortSignal): Promise<SchemaPreview | null> {
    this.topics.push(topic)
    return this.answer(topic, limit)
  }
}

interface Fixture {
  readonly values: PreviewingConverter
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly previews: SchemaPreviews
}

function fixture(): Fixture {
  const [values, clock, logger] = [new PreviewingConverter(), fakeClock(), captureLogger()]
  const converters = { keyConverter: new TextConverter(), valueConverter: values }
  return { values, clock, logger, previews: new SchemaPreviews({ converters, clock, logger }) }
}

function announced(...topics: readonly string[]): readonly SchemaAnnouncement[] {
  return topics.map((topic) => () => ({ topic, keySchema: null, valueSchema: Schemas.string }))
}

test('what will become of announced schemas is told in one line each; what is known already is not', async () => {
  const { values, logger, previews } = fixture()
  values.answer = (topic) => {
    if (topic === 'known') return Promise.resolve(null)
    if (topic === 'bad') return Promise.reject(errors.NAME({}))
    return Promise.resolve({ isAccepted: topic === 'fine', text: `the text of ${topic}` })
  }
  previews.announce(announced('known', 'fine'), signal)
  previews.announce(announced('refused', 'bad'), signal)
  await previews.settled()
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [
      'info The table behind fine has changed, and so has its schema. the text of fine',
      'warn The next record for refused will fail the task, since its table has changed. the text of refused',
      'warn The next record for bad will fail the task, since its table has changed. the name a-b is none',
    ],
  )
})

test('a registry that is away, or silent, ends it with one line, and the next announcement begins anew', async () => {
  const { values, logger, previews, clock } = fixture()
  values.answer = () => Promise.reject(errors.AWAY({}))
  previews.announce(announced('a', 'b'), signal)
  await previews.settled()
  values.answer = (_topic, limit) => doneOr(new Promise<null>(() => undefined), limit)
  previews.announce(announced('c', 'd'), signal)
  await clock.untilPending(1)
  await clock.advance(3_000)
  await previews.settled()
  assert.deepEqual(values.topics, ['a', 'c'])
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [
      'info Whether the next schemas will be accepted cannot be said: the registry is away',
      'info Whether the next schemas will be accepted cannot be said: the registry did not answer within 3 s',
    ],
  )
})

test('a stop ends it without a word; converters that look at nothing are given nothing', async () => {
  const stop = new AbortController()
  const { values, logger, previews, clock } = fixture()
  values.answer = (_topic, limit) => doneOr(new Promise<null>(() => undefined), limit)
  previews.announce(announced('a'), stop.signal)
  await clock.untilPending(1)
  stop.abort()
  await previews.settled()
  assert.deepEqual(logger.lines, [])

  const plain = { keyConverter: new TextConverter(), valueConverter: new TextConverter() }
  const none = new SchemaPreviews({ converters: plain, clock, logger })
  none.announce([() => assert.fail('the schemas are put together')], signal)
  await none.settled()
})

test('of many announcements the first hundred are looked at', async () => {
  const { values, previews } = fixture()
  previews.announce(announced(...Array.from({ length: 1_000 }, (_, i) => `t${i}`)), signal)
  await previews.settled()
  assert.equal(values.topics.length, 100)
})
