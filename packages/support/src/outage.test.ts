import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { Outage } from './outage.ts'

test('tells the begin and the end once, however many tries lie between, and each outage anew', async () => {
  const logger = captureLogger()
  const clock = fakeClock()
  const outage = new Outage(logger, clock, 'broker 2')
  const told = (): readonly string[] =>
    logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level} ${message}`)

  outage.end()
  for (let i = 0; i < 3; i++) outage.begin(new Error('refused', { cause: new Error('ECONNREFUSED') }))
  await clock.advance(2500)
  outage.end()
  outage.end()
  outage.begin(new Error('again'))

  assert.deepEqual(told(), [
    'warn broker 2: refused ← ECONNREFUSED. Waiting.',
    'info broker 2: works again after 2.5 s',
    'warn broker 2: again. Waiting.',
  ])
})

test('what lasts is told again every minute', async () => {
  const logger = captureLogger()
  const clock = fakeClock()
  const outage = new Outage(logger, clock, 'broker 2')

  for (let s = 0; s < 130; s += 10) {
    outage.begin(new Error('refused'))
    await clock.advance(10_000)
  }

  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    [
      'broker 2: refused. Waiting.',
      'broker 2: refused. Waiting for 60 s now.',
      'broker 2: refused. Waiting for 120 s now.',
    ],
  )
})
