import { Schemas, type SchemaAnnouncement, type SchemaCompatibility } from '@tributary/connect-api'
import { defineErrors, doneOr, StoppedError } from '@tributary/support'
import { captureLogger, eventually, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SchemaPreviews } from './schema-previews.ts'
import { TextConverter } from './testing/text-converter.ts'

const { signal } = new AbortController()
const errors = defineErrors({
  AWAY: { message: 'the registry is away', action: '', retriable: true },
  LOGIN: { message: 'the login is refused', action: '' },
})

/** A converter that looks at schemas as the test says. */
class PreviewingConverter extends TextConverter {
  readonly topics: string[] = []
  answer: (topic: string, signal: AbortSignal) => Promise<SchemaCompatibility | null> = () => Promise.resolve(null)

  checkCompatibility(_schema: unknown, topic: string, limit: AbortSignal): Promise<SchemaCompatibility | null> {
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
  return topics.map((topic) => ({
    source: topic,
    schemas: () => ({ topic, keySchema: null, valueSchema: Schemas.string }),
  }))
}

test('what will become of announced schemas is told in one line each; what is known already is not', async () => {
  const { values, logger, previews } = fixture()
  values.answer = (topic) => {
    if (topic === 'known') return Promise.resolve(null)
    return Promise.resolve({ isAccepted: topic === 'fine', text: `the text of ${topic}` })
  }
  previews.announce(announced('known', 'fine'), signal)
  previews.announce(announced('refused'), signal)
  await previews.settled()
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [
      'info The table behind fine has changed, and so has its schema. the text of fine',
      'warn The next record for refused would fail the task, since its table has changed. the text of refused',
    ],
  )
})

test('a registry that is away, refuses the login, or is silent, ends it with one line, and the next announcement begins anew', async () => {
  const { values, logger, previews, clock } = fixture()
  values.answer = () => Promise.reject(errors.AWAY({}))
  previews.announce(announced('a', 'b'), signal)
  await previews.settled()
  values.answer = () => Promise.reject(errors.LOGIN({}))
  previews.announce(announced('b'), signal)
  await previews.settled()
  values.answer = (_topic, limit) => doneOr(new Promise<null>(() => undefined), limit)
  previews.announce(announced('c', 'd'), signal)
  await clock.untilPending(1)
  await clock.advance(3_000)
  await previews.settled()
  assert.deepEqual(values.topics, ['a', 'b', 'c'])
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [
      'info Whether the next schemas will be accepted cannot be said: the registry is away',
      'info Whether the next schemas will be accepted cannot be said: the login is refused',
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
  none.announce([{ source: 'a', schemas: () => assert.fail('the schemas are put together') }], signal)
  await none.settled()
})

test('of many announcements the first hundred are looked at, and the number of the others is told', async () => {
  const { values, previews, logger } = fixture()
  previews.announce(announced(...Array.from({ length: 1_000 }, (_, i) => `t${i}`)), signal)
  await previews.settled()
  assert.equal(values.topics.length, 100)
  const told = 'info Whether the next schemas of 900 more changes will be accepted is not looked at: 100 are at a time'
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [told],
  )
  previews.announce(announced('later'), signal)
  await previews.settled()
  assert.equal(logger.lines.length, 1)
})

test('of several changes of one table the last one is looked at, where it stands', async () => {
  const { values, previews } = fixture()
  previews.announce(announced('a', 'b', 'a'), signal)
  previews.announce(announced('c', 'b'), signal)
  await previews.settled()
  assert.deepEqual(values.topics, ['a', 'c', 'b'])
})

test('a fault of ours is told as an error, and the next announcement begins anew', async () => {
  const { values, previews, logger } = fixture()
  values.answer = () => Promise.reject(new TypeError('x is undefined'))
  previews.announce(announced('a'), signal)
  await previews.settled()
  const [line] = logger.lines
  assert.equal(line?.level, 'error')
  assert.match(line?.message ?? '', /^Looking whether .* has failed; this is a fault of Tributary$/)
  values.answer = () => Promise.resolve(null)
  previews.announce(announced('b'), signal)
  await previews.settled()
  assert.deepEqual(values.topics, ['a', 'b'])
})

test('records wait for all previews together no longer than for one, and not again while they last', async () => {
  const { values, clock, previews } = fixture()
  await previews.toldOrLate(signal)
  const answers = Array.from({ length: 3 }, () => Promise.withResolvers<null>())
  values.answer = () => answers[values.topics.length - 1]?.promise ?? Promise.resolve(null)
  previews.announce(announced('a', 'b', 'c', 'd'), signal)
  await clock.untilPending(1)
  const waiting = previews.toldOrLate(signal)
  await clock.untilPending(2)
  await clock.advance(2_000)
  answers[0]?.resolve(null)
  await eventually('the next is looked at', () => values.topics.length === 2)
  await clock.advance(1_000)
  await waiting
  assert.deepEqual(values.topics, ['a', 'b'])
  await previews.toldOrLate(signal)
  for (const answer of answers) answer.resolve(null)
  await previews.settled()

  // Those of the next announcement are waited for.
  const next = Promise.withResolvers<null>()
  values.answer = () => next.promise
  previews.announce(announced('e'), signal)
  const told = previews.toldOrLate(signal).then(() => values.topics.at(-1))
  next.resolve(null)
  assert.equal(await told, 'e')
  assert.equal(clock.pending, 0)
})

test('a stop ends the wait of a record', async () => {
  const { values, previews } = fixture()
  const [stop, ending] = [new AbortController(), new AbortController()]
  values.answer = (_topic, limit) => doneOr(new Promise<null>(() => undefined), limit)
  previews.announce(announced('a'), ending.signal)
  const waiting = previews.toldOrLate(stop.signal)
  stop.abort()
  await assert.rejects(waiting, StoppedError)
  ending.abort()
  await previews.settled()
})
