import { Schema } from '@tributary/connect-api'
import { StoppedError } from '@tributary/support'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryProducer } from '../../testing/memory-producer.ts'
import { RegisteringConverter } from '../testing/registering-converter.ts'
import { testRecordErrors } from '../testing/test-record-errors.ts'
import { recordAt } from '../testing/test-record.ts'
import { TextConverter } from '../testing/text-converter.ts'
import { SchemaRegistrar } from './schema-registrar.ts'

interface Fixture {
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly producer: MemoryProducer
  readonly answer: PromiseWithResolvers<void>
  readonly registrar: SchemaRegistrar
}

/** A registry that has received the request and does not answer. */
function silence(): Fixture {
  const [clock, logger, producer] = [fakeClock(), captureLogger(), new MemoryProducer()]
  const answer = Promise.withResolvers<void>()
  const valueConverter = Object.assign(new RegisteringConverter(), {
    pendingFailure: () => new Error('registry:8081 has not answered'),
    answer: (signal: AbortSignal) => {
      signal.addEventListener('abort', () => answer.reject(new StoppedError()))
      return answer.promise
    },
  })
  const converters = { keyConverter: new TextConverter(), valueConverter }
  return {
    clock,
    logger,
    producer,
    answer,
    registrar: new SchemaRegistrar({ converters, producer, errors: testRecordErrors(), clock, logger }),
  }
}

const record = recordAt(1, { valueSchema: Schema.of('string', { name: 's' }) })

function logged(logger: CaptureLogger): readonly string[] {
  return logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level} ${message}`)
}

test('silence is logged after five seconds and then every minute, and so is its end', async () => {
  const { clock, logger, answer, registrar } = silence()
  const work = registrar.register(record, [], new AbortController().signal)
  await clock.advance(4_999)
  assert.deepEqual(logged(logger), [])
  await clock.advance(1)
  const failing =
    'warn Records for orders wait for their schema: registry:8081 has not answered. Retrying until it succeeds'
  const first = `${failing}.`
  assert.deepEqual(logged(logger), [first])
  await clock.advance(125_000)
  answer.resolve()
  await work
  assert.deepEqual(logged(logger), [
    first,
    `${failing}; failing for 60 s now.`,
    `${failing}; failing for 120 s now.`,
    'info Records for orders wait for their schema: works again after 125.0 s',
  ])
  assert.equal(clock.pending, 0)
})

test('a stop ends the wait, and so does a producer that fails', async () => {
  const stop = new AbortController()
  const stopped = silence()
  const work = stopped.registrar.register(record, [], stop.signal)
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
  const waiting = failed.registrar.register(record, [], new AbortController().signal)
  failed.producer.fail(new Error('fenced'))
  await assert.rejects(waiting, StoppedError)
  assert.equal(failed.clock.pending, 0)
})
