/** A transaction of more than 3 GB in one compressed event: every row arrives, and memory does not grow with it. */
import { type ConnectValue, EncodedText, Struct } from '@tributary/connect-api'
import { silentLogger, systemClock } from '@tributary/support'
import { type DatabaseServer, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinlogTask } from '../binlog-task.ts'
import { mysqlKind } from '../connector-kind.ts'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const ROWS = 25_000
const TEXT_BYTES = 10_500
const UPDATES = 6
const MIB = 1 << 20

/** Each update has the text before and after: 2 × 6 × 262 MB. */
async function writeTransaction({ database, schema }: Scene): Promise<void> {
  const session = await database.connect()
  await session.query(`USE ${schema}`)
  await session.query('SET SESSION binlog_transaction_compression = ON')
  await session.query('START TRANSACTION')
  for (let i = 1; i <= UPDATES; i++) await session.query(`UPDATE t SET n = ${i} ORDER BY id`)
  await session.query('COMMIT')
  await session.end()
}

async function createTable({ database, schema }: Scene): Promise<void> {
  const session = await database.connect()
  await session.query(`USE ${schema}`)
  await session.query('CREATE TABLE t (id INT PRIMARY KEY, n INT, v MEDIUMTEXT) CHARSET utf8mb4')
  await session.query('SET SESSION sql_log_bin = 0, cte_max_recursion_depth = 1000000')
  await session.query(`INSERT INTO t WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < ${ROWS})
    SELECT i, 0, RPAD(CONCAT('row ', i, ' '), ${TEXT_BYTES}, CONCAT('text ', i, ' ')) FROM r`)
  await session.end()
}

/** The size of the compressed event and of the events inside it, as the server reports them. */
async function sizesOf(server: DatabaseServer): Promise<{ readonly compressed: number; readonly inside: number }> {
  const logs = await server.query('SHOW BINARY LOGS')
  for (const log of logs) {
    const events = await server.query(`SHOW BINLOG EVENTS IN '${String(log['Log_name'])}'`)
    const payload = events.find((event) => event['Event_type'] === 'Transaction_payload')
    if (payload === undefined) continue
    const [, inside] = /decompressed_size=(\d+)/.exec(String(payload['Info'])) ?? []
    return { compressed: Number(payload['End_log_pos']) - Number(payload['Pos']), inside: Number(inside) }
  }
  assert.fail('the binlog has no compressed transaction')
}

/** Checks that the updates are those of the transaction, in its order. */
class UpdateCheck {
  count = 0

  take(value: ConnectValue): void {
    if (!(value instanceof Struct) || !value.schema.fields.some(({ name }) => name === 'after')) return
    const [before, after] = [value.get('before'), value.get('after')]
    assert.ok(before instanceof Struct && after instanceof Struct)
    const [id, n] = [(this.count % ROWS) + 1, Math.floor(this.count / ROWS) + 1]
    assert.deepEqual([before.get('id'), before.get('n'), after.get('id'), after.get('n')], [id, n - 1, id, n])
    if (this.count % 100 === 0) for (const row of [before, after]) this.#checkText(row.get('v'), id)
    this.count += 1
  }

  #checkText(value: ConnectValue, id: number): void {
    const text = value instanceof EncodedText ? value.toString() : value
    const filler = `text ${id} `
    const expected = `row ${id} ${filler.repeat(TEXT_BYTES / filler.length + 1)}`.slice(0, TEXT_BYTES)
    assert.ok(text === expected, `the text of row ${id}`)
  }
}

test('a transaction of 3 GB in a compressed event needs no more memory than a small one', async () => {
  await using server = await startMySql({ args: ['--binlog-cache-size=64M'] })
  const scene = await sceneOf(server, 'CREATE TABLE nothing (id INT PRIMARY KEY)')
  await createTable(scene)
  const first = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await first.until(isStreaming)
  const { stored } = first
  await first[Symbol.asyncDispose]()
  await writeTransaction(scene)
  const { compressed, inside } = await sizesOf(server)
  assert.ok(inside > 3e9, `${inside} bytes`)

  const task = new BinlogTask(mysqlKind)
  const stop = new AbortController()
  const rssBefore = process.memoryUsage.rss()
  const check = new UpdateCheck()
  let rssMax = rssBefore
  const begin = performance.now()
  await task.start({
    config: { ...scene.config, 'snapshot.mode': 'no_data' },
    workerDefaults: {},
    connectorName: scene.schema,
    taskNumber: 0,
    logger: silentLogger,
    clock: systemClock,
    storedOffset: () => stored,
  })
  while (check.count < ROWS * UPDATES) {
    const { records } = await task.poll(stop.signal)
    for (const { value } of records) check.take(value)
    rssMax = Math.max(rssMax, process.memoryUsage.rss())
  }
  const seconds = (performance.now() - begin) / 1000
  stop.abort()
  await task.stop()

  const grownMb = (rssMax - rssBefore) / MIB
  console.log(
    `${(inside / 1e9).toFixed(2)} GB in a payload of ${(compressed / 1e6).toFixed(1)} MB: ${check.count} updates in ${seconds.toFixed(1)} s, memory ${(rssBefore / MIB).toFixed(0)} MB before, ${(rssMax / MIB).toFixed(0)} MB at the peak`,
  )
  assert.equal(check.count, ROWS * UPDATES)
  // The compressed event is in memory as a whole, twice while its packets are joined.
  assert.ok(grownMb < 200 + (2 * compressed) / MIB, `${grownMb.toFixed(0)} MB more at the peak`)
})
