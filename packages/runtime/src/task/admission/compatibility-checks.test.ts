import { Schemas, type SchemaAnnouncement, type SchemaCompatibility } from '@tributary/connect-api'
import { defineErrors, doneOr, StoppedError } from '@tributary/support'
import { captureLogger, eventually, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompatibilityChecks } from './compatibility-checks.ts'
import { TextConverter } from '../testing/text-converter.ts'

const { signal } = new AbortController()
const errors = defineErrors({
  DOWN: { message: 'the registry is unreachable', action: '', retriable: true },
  LOGIN: { message: 'the login is refused', action: '' },
})

/** A converter whose compatibility check returns what the test sets in `answer`. */
class CheckingConverter extends TextConverter {
  readonly topics: string[] = []
  answer: (topic: string, signal: AbortSignal) => Promise<SchemaCompatibility | null> = () => Promise.resolve(null)

  checkCompatibility(_schema: unknown, topic: string, limit: AbortSignal): Promise<SchemaCompatibility | null> {
    this.topics.push(topic)
    return this.answer(topic, limit)
  }
}

interface Fixture {
  readonly values: CheckingConverter
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly checks: CompatibilityChecks
}

function fixture(): Fixture {
  const [values, clock, logger] = [new CheckingConverter(), fakeClock(), captureLogger()]
  const converters = { keyConverter: new TextConverter(), valueConverter: values }
  return { values, clock, logger, checks: new CompatibilityChecks({ converters, clock, logger }) }
}

function announced(...topics: readonly string[]): readonly SchemaAnnouncement[] {
  return topics.map((topic) => ({
    source: topic,
    schemas: () => ({ topic, keySchema: null, valueSchema: Schemas.string }),
  }))
}

test('each announced schema that is not known yet is logged in one line', async () => {
  const { values, logger, checks } = fixture()
  values.answer = (topic) => {
    if (topic === 'known') return Promise.resolve(null)
    return Promise.resolve({ isAccepted: topic === 'fine', text: `the text of ${topic}` })
  }
  checks.announce(announced('known', 'fine'), signal)
  checks.announce(announced('refused'), signal)
  await checks.settled()
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [
      'info The table of topic fine has changed, and so has its schema. the text of fine',
      'warn The next record for refused would fail the task, since its table has changed. the text of refused',
    ],
  )
})

test('a registry that is unreachable, refuses the login or does not answer ends the checks with one line, until the next announcement', async () => {
  const { values, logger, checks, clock } = fixture()
  values.answer = () => Promise.reject(errors.DOWN({}))
  checks.announce(announced('a', 'b'), signal)
  await checks.settled()
  values.answer = () => Promise.reject(errors.LOGIN({}))
  checks.announce(announced('b'), signal)
  await checks.settled()
  values.answer = (_topic, limit) => doneOr(new Promise<null>(() => undefined), limit)
  checks.announce(announced('c', 'd'), signal)
  await clock.untilPending(1)
  await clock.advance(3_000)
  await checks.settled()
  assert.deepEqual(values.topics, ['a', 'b', 'c'])
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [
      'info The schemas of changed tables could not be checked with the registry: the registry is unreachable',
      'info The schemas of changed tables could not be checked with the registry: the login is refused',
      'info The schemas of changed tables could not be checked with the registry: the registry did not answer within 3 s',
    ],
  )
})

test('a stop ends the checks without a log line; for converters without checks no schema is built', async () => {
  const stop = new AbortController()
  const { values, logger, checks, clock } = fixture()
  values.answer = (_topic, limit) => doneOr(new Promise<null>(() => undefined), limit)
  checks.announce(announced('a'), stop.signal)
  await clock.untilPending(1)
  stop.abort()
  await checks.settled()
  assert.deepEqual(logger.lines, [])

  const plain = { keyConverter: new TextConverter(), valueConverter: new TextConverter() }
  const none = new CompatibilityChecks({ converters: plain, clock, logger })
  none.announce([{ source: 'a', schemas: () => assert.fail('a schema is built') }], signal)
  await none.settled()
})

test('the first hundred of many announcements are checked, and the number of the others is logged', async () => {
  const { values, checks, logger } = fixture()
  checks.announce(announced(...Array.from({ length: 1_000 }, (_, i) => `t${i}`)), signal)
  await checks.settled()
  assert.equal(values.topics.length, 100)
  const line =
    'info The schemas of 900 more changed tables are not checked with the registry: the limit is 100 at a time'
  assert.deepEqual(
    logger.lines.map(({ level, message }) => `${level} ${message}`),
    [line],
  )
  checks.announce(announced('later'), signal)
  await checks.settled()
  assert.equal(logger.lines.length, 1)
})

test('the last of several changes of a table is checked, in its place', async () => {
  const { values, checks } = fixture()
  checks.announce(announced('a', 'b', 'a'), signal)
  checks.announce(announced('c', 'b'), signal)
  await checks.settled()
  assert.deepEqual(values.topics, ['a', 'c', 'b'])
})

test('a bug is logged as an error, and the next announcement is checked', async () => {
  const { values, checks, logger } = fixture()
  values.answer = () => Promise.reject(new TypeError('x is undefined'))
  checks.announce(announced('a'), signal)
  await checks.settled()
  const [line] = logger.lines
  assert.equal(line?.level, 'error')
  assert.match(line?.message ?? '', /^Checking the schemas .* has failed; this is a bug of Tributary$/)
  values.answer = () => Promise.resolve(null)
  checks.announce(announced('b'), signal)
  await checks.settled()
  assert.deepEqual(values.topics, ['a', 'b'])
})

test('records wait for all checks no longer than for one, and only once', async () => {
  const { values, clock, checks } = fixture()
  await checks.settledOrLate(signal)
  const answers = Array.from({ length: 3 }, () => Promise.withResolvers<null>())
  values.answer = () => answers[values.topics.length - 1]?.promise ?? Promise.resolve(null)
  checks.announce(announced('a', 'b', 'c', 'd'), signal)
  await clock.untilPending(1)
  const waiting = checks.settledOrLate(signal)
  await clock.untilPending(2)
  await clock.advance(2_000)
  answers[0]?.resolve(null)
  await eventually('the next one is checked', () => values.topics.length === 2)
  await clock.advance(1_000)
  await waiting
  assert.deepEqual(values.topics, ['a', 'b'])
  await checks.settledOrLate(signal)
  for (const answer of answers) answer.resolve(null)
  await checks.settled()

  // They wait for the checks of the next announcement.
  const next = Promise.withResolvers<null>()
  values.answer = () => next.promise
  checks.announce(announced('e'), signal)
  const checked = checks.settledOrLate(signal).then(() => values.topics.at(-1))
  next.resolve(null)
  assert.equal(await checked, 'e')
  assert.equal(clock.pending, 0)
})

test('a stop ends the wait for the checks', async () => {
  const { values, checks } = fixture()
  const [stop, ending] = [new AbortController(), new AbortController()]
  values.answer = (_topic, limit) => doneOr(new Promise<null>(() => undefined), limit)
  checks.announce(announced('a'), ending.signal)
  const waiting = checks.settledOrLate(stop.signal)
  stop.abort()
  await assert.rejects(waiting, StoppedError)
  ending.abort()
  await checks.settled()
})
