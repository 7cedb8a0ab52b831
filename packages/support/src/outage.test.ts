import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { Outage } from './outage.ts'

test('each outage is logged once at its start and once at its end, however many attempts there are in between', async () => {
  const logger = captureLogger()
  const clock = fakeClock()
  const outage = new Outage(logger, clock, 'writing to broker 2')
  const logged = (): readonly string[] =>
    logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level} ${message}`)

  outage.reportSuccess()
  for (let i = 0; i < 3; i++) outage.reportFailure(new Error('refused', { cause: new Error('ECONNREFUSED') }))
  await clock.advance(2500)
  outage.reportSuccess()
  outage.reportSuccess()
  outage.reportFailure(new Error('again'))

  assert.deepEqual(logged(), [
    'warn writing to broker 2: refused ← ECONNREFUSED. Retrying until it succeeds.',
    'info writing to broker 2: works again after 2.5 s',
    'warn writing to broker 2: again. Retrying until it succeeds.',
  ])
})

test('an outage is logged again every minute, with its duration', async () => {
  const logger = captureLogger()
  const clock = fakeClock()
  const outage = new Outage(logger, clock, 'writing to broker 2', 5000)

  for (let s = 0; s < 130; s += 10) {
    outage.reportFailure(new Error('refused'))
    await clock.advance(10_000)
  }

  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    [
      'writing to broker 2: refused. Retrying until it succeeds, after pauses of at most 5 s.',
      'writing to broker 2: refused. Retrying until it succeeds, after pauses of at most 5 s; failing for 60 s now.',
      'writing to broker 2: refused. Retrying until it succeeds, after pauses of at most 5 s; failing for 120 s now.',
    ],
  )
})
