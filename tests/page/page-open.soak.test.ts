/** A page that somebody leaves open beside a worker that streams: an hour by default, `PAGE_OPEN_MINUTES=5` for less. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  connectorConfig,
  eventually,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
  type Database,
} from '@tributary/testkit'
import { TestBrowser } from './browser.ts'
import { measurePage } from './measure-page.ts'

const NAME = uniqueName('open')
const MINUTES = Number(process.env['PAGE_OPEN_MINUTES'] ?? 60)
/** The page keeps fifteen minutes of its curves. */
const FILLED_MINUTES = Math.min(16, MINUTES / 2)
const WRITES_PER_MINUTE = 240

test('an hour beside a real worker leaves no memory behind', { timeout: (MINUTES + 10) * 60_000 }, async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await database.query(
    `CREATE DATABASE ${NAME}; USE ${NAME}; CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, at TIMESTAMP(6) NULL);
     INSERT INTO t () VALUES ()`,
  )
  await using service = await startService({ bootstrapServers })
  await service.register(NAME, connectorConfig({ database, bootstrapServers, prefix: NAME, includes: NAME }))
  await waitForRecords(bootstrapServers, `${NAME}.${NAME}.t`, 1)
  await using browser = await TestBrowser.start()
  await using opened = await browser.open({ url: service.url, hash: `#/connectors/${NAME}` })
  const { page } = opened
  await page.getByText('Records per second').waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')

  let written = await writeFor(database, FILLED_MINUTES)
  const filled = await measurePage(session)
  written += await writeFor(database, MINUTES - FILLED_MINUTES)
  await waitForRecords(bootstrapServers, `${NAME}.${NAME}.t`, written + 1)
  const row = page.getByRole('row', { name: /^Acknowledged by Kafka/ })
  // More than the changes: it counts schema changes, too.
  await eventually('the page shows the last record', async () => {
    return Number((await row.innerText()).replaceAll(/\D/g, '')) > written
  })
  const later = await measurePage(session)
  console.log(`${MINUTES} minutes, ${written} changes: ${JSON.stringify({ filled, later })}`)
  assert.ok(later.heapBytes - filled.heapBytes < 1_000_000, 'the heap has grown')
  assert.ok(later.nodes - filled.nodes < 200, 'elements were left behind')
  assert.ok(later.listeners - filled.listeners < 50, 'listeners were left behind')
  assert.deepEqual([opened.errors, opened.foreignRequests], [[], []])
})

/** Returns the number of inserted rows. */
async function writeFor(database: Database, minutes: number): Promise<number> {
  const rows = Math.round(minutes * WRITES_PER_MINUTE)
  for (let i = 0; i < rows; i += 1) {
    await database.query(`INSERT INTO ${NAME}.t (at) VALUES (NOW(6))`)
    await sleep(60_000 / WRITES_PER_MINUTE)
  }
  return rows
}
