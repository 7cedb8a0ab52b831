import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { defineErrors } from './errors.ts'
import { withOutages } from './logger.ts'
import { Outage } from './outage.ts'
import { OutageBoard } from './outage-board.ts'

const errors = defineErrors({
  DOWN: { message: 'the broker is down', action: 'Start it.', retriable: true },
  PLACE: { message: 'writing to {place} failed', action: 'Look there.', recoverable: 'cause' },
})

test('an outage is on the board of its logger, also of a child, until it ends', async () => {
  const clock = fakeClock()
  let changes = 0
  const board = new OutageBoard(clock, () => (changes += 1))
  const logger = withOutages(captureLogger(), board).child({ connectorName: 'c' })
  const outage = new Outage(logger, clock, 'writing to broker 2')
  const sinceMs = clock.now()
  outage.reportFailure(errors.DOWN({}))
  await clock.advance(1_000)
  outage.reportFailure(errors.DOWN({}))

  const [ongoing] = board.ongoing()
  assert.deepEqual(ongoing, {
    activity: 'writing to broker 2',
    code: 'DOWN',
    message: 'the broker is down',
    action: 'Start it.',
    sinceMs,
    lastMs: sinceMs + 1_000,
    attempts: 2,
    nextMs: null,
  })
  outage.reportSuccess()
  assert.deepEqual([board.ongoing(), changes], [[], 3])
  outage.reportFailure(errors.DOWN({}))
  outage.giveUp()
  assert.deepEqual(board.ongoing(), [])
})

test('the code and the action are those of the error that decides, the message is that of the place', () => {
  const board = new OutageBoard(fakeClock())
  board.failed('writing', errors.PLACE({ place: 'topic t' }, errors.DOWN({})), 5_000)
  const [ongoing] = board.ongoing()
  assert.deepEqual(
    [ongoing?.code, ongoing?.message, ongoing?.action],
    ['DOWN', 'writing to topic t failed', 'Start it.'],
  )
})

test('what nobody repeats any more is forgotten after a while, however long its pause was', async () => {
  const clock = fakeClock()
  const board = new OutageBoard(clock)
  board.failed('reading', errors.DOWN({}), 60_000)
  board.failed('writing', errors.DOWN({}))
  await clock.advance(180_001)
  assert.deepEqual(
    board.ongoing().map(({ activity }) => activity),
    ['reading'],
  )
  await clock.advance(60_000)
  assert.deepEqual(board.ongoing(), [])
})
