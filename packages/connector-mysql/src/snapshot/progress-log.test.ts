import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectorNumbers } from '@tributary/connector-kit'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { ProgressLog } from './progress-log.ts'

test('while a snapshot runs, its progress is logged each half minute', async () => {
  const clock = fakeClock()
  const logger = captureLogger()
  const numbers = new ConnectorNumbers()
  using _log = new ProgressLog({ numbers, clock, logger })
  await clock.advance(60_000)
  assert.equal(logger.lines.length, 0)
  const { snapshot } = numbers
  snapshot.begin(clock.now())
  snapshot.tableCount = 2
  snapshot.remainingTables = 2
  const orders = { name: 'shop.orders', rows: 600, estimatedRows: 1_000, isDone: false }
  snapshot.tables.set('shop.orders', orders)
  snapshot.tables.set('shop.later', { name: 'shop.later', rows: 0, estimatedRows: 200, isDone: false })
  await clock.advance(30_000)
  snapshot.waitsFor = '34 running threads, limit 20'
  orders.rows = 1_001
  await clock.advance(30_000)
  snapshot.end('completed', clock.now())
  await clock.advance(30_000)
  assert.deepEqual(
    logger.lines.map(({ message }) => message),
    [
      "Snapshot progress: about 50 % (600 of about 1200 rows), 20 rows/s, about 30 s left; 0 of 2 tables complete; 'shop.orders' about 60 %",
      "Snapshot waits: 34 running threads, limit 20: about 83.3 % (1001 of about 1201 rows), 13 rows/s, more rows than the server has estimated; 0 of 2 tables complete; 'shop.orders' about 99.9 %",
    ],
  )
})
