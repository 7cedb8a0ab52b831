import { StoppedError } from '@tributary/support'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryProducer } from '../testing/memory-producer.ts'
import { SchemaPreparation } from './schema-preparation.ts'
import { recordAt } from './testing/test-record.ts'

interface Fixture {
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly producer: MemoryProducer
  readonly answer: PromiseWithResolvers<void>
  readonly preparation: SchemaPreparation
}

/** A sender whose registry took the request and does not answer. */
function silence(): Fixture {
  const [clock, logger, producer] = [fakeClock(), captureLogger(), new MemoryProducer()]
  const answer = Promise.withResolvers<void>()
  const sender = {
    prepareAhead: () => Promise.resolve(),
    prepare: (_record: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => answer.reject(new StoppedError()))
      return answer.promise
    },
    pendingFailure: () => new Error('registry:8081 has not answered'),
  }
  return { clock, logger, producer, answer, preparation: new SchemaPreparation({ sender, producer, clock, logger }) }
}

function told(logger: CaptureLogger): readonly string[] {
  return logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level} ${message}`)
}

test('silence is told after some seconds, then every minute, and its end', async () => {
  const { clock, logger, answer, preparation } = silence()
  const work = preparation.prepare(recordAt(1), [], new AbortController().signal)
  await clock.advance(4_999)
  assert.deepEqual(told(logger), [])
  await clock.advance(1)
  const failing =
    'warn Records for orders wait for their schema: registry:8081 has not answered. Retrying until it succeeds'
  const first = `${failing}.`
  assert.deepEqual(told(logger), [first])
  await clock.advance(125_000)
  answer.resolve()
  await work
  assert.deepEqual(told(logger), [
    first,
    `${failing}; failing for 60 s now.`,
    `${failing}; failing for 120 s now.`,
    'info Records for orders wait for their schema: works again after 125.0 s',
  ])
  assert.equal(clock.pending, 0)
})

test('a stop ends it, and so does a producer that fails', async () => {
  const stop = new AbortController()
  const stopped = silence()
  const work = stopped.preparation.prepare(recordAt(1), [], stop.signal)
  stop.abort()
  await assert.rejects(work, StoppedError)

  const failed = silence()
  failed.producer.acknowledgesAtOnce = false
  failed.producer.knownTopic('orders').send({
    key: null,
    value: null,
    headers: [],
    partition: null,
    timestamp: null,
    token: 1,
  })
  const waiting = failed.preparation.prepare(recordAt(1), [], new AbortController().signal)
  failed.producer.fail(new Error('fenced'))
  await assert.rejects(waiting, StoppedError)
  assert.equal(failed.clock.pending, 0)
})
