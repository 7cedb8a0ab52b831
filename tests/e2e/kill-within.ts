/** SIGKILL while the task catches up, also while the brokers do not answer: how many records are repeated. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import {
  connectorConfig,
  eventually,
  idOf,
  kafkaClient,
  readTopic,
  startKafka,
  startService,
  uniqueName,
  useMySql,
  waitForRecords,
  type Service,
} from '@tributary/testkit'

/** docs/05-offsets-and-restart.md. */
const REPEATED_MAX = 2_500
const PARTITIONS = 4
const BETWEEN_KILLS = 10_000

/** Creates a database with an empty table, and another one for the last row. */
async function createTables(schema: string): Promise<void> {
  const database = await useMySql()
  const columns = 'id INT PRIMARY KEY, note VARCHAR(200)'
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (${columns}); CREATE TABLE ${schema}.marker (${columns})`,
  )
}

/** One transaction with all rows. */
async function fill(schema: string, { rows, compression }: Killing): Promise<void> {
  const database = await useMySql()
  await database.query(`
    SET SESSION cte_max_recursion_depth = ${rows}, binlog_transaction_compression = ${compression};
    INSERT INTO ${schema}.t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      SELECT i, REPEAT('x', 200) FROM n;
    INSERT INTO ${schema}.marker VALUES (1, ''); SET SESSION binlog_transaction_compression = DEFAULT`)
}

/** Processor time that the process has used so far, in ticks of the system. */
function usedTicks(pid: number): number {
  // The second field, the program's name, may contain spaces; the fields after it do not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/** Waits until the service has filled its buffers and waits for the brokers. */
async function untilIdle({ pid }: Service): Promise<void> {
  let before = -1
  const isIdle = (): boolean => {
    const now = usedTicks(pid)
    const isSame = now === before
    before = now
    return isSame
  }
  await eventually('the service has nothing to do', isIdle, { everyMs: 50 })
}

interface Deliveries {
  /** Rows in the order in which they were sent, each once. */
  readonly first: readonly number[]
  readonly again: readonly number[]
}

/** Of one partition. */
function deliveriesOf(ids: readonly number[]): Deliveries {
  let last = 0
  const isFirst = ids.map((id) => {
    const isNew = id > last
    if (isNew) last = id
    return isNew
  })
  return { first: ids.filter((_, i) => isFirst[i]), again: ids.filter((_, i) => !isFirst[i]) }
}

/** How many rows each kill has repeated: between kills more rows arrive than any kill repeats. */
function repeatsOfKills(again: readonly number[]): readonly number[] {
  const counts: number[] = []
  let last = -Infinity
  for (const id of [...again].sort((one, other) => one - other)) {
    if (id - last > BETWEEN_KILLS / 2) counts.push(0)
    counts.push((counts.pop() ?? 0) + 1)
    last = id
  }
  return counts
}

export interface Killing {
  /** Of the transaction: enough for all kills. */
  readonly rows: number
  /** During every second one the brokers do not answer. */
  readonly kills: number
  /** Of the transaction in the binlog. */
  readonly compression: 'ON' | 'OFF'
}

/** Kills the service within a transaction, several times: each kill repeats at most 2,500 records, and none is lost. */
export async function killWithin(t: TestContext, killing: Killing): Promise<void> {
  const { rows, kills } = killing
  const schema = uniqueName('repeats')
  await using kafka = await startKafka()
  const [database] = await Promise.all([useMySql(), createTables(schema)])
  const { bootstrapServers, brokers } = kafka
  const [broker] = brokers
  assert.ok(broker !== undefined)
  const [topic, marker] = [`${schema}.${schema}.t`, `${schema}.${schema}.marker`]
  const client = await kafkaClient(bootstrapServers)
  await using admin = client.admin()
  await admin.createTopic({ name: topic, partitions: PARTITIONS, replicationFactor: 1 })
  await using reader = await client.reader({ topic, from: 'earliest' })
  const size = async (): Promise<number> =>
    [...(await reader.endOffsets()).values()].reduce((sum, end) => sum + Number(end), 0)
  // No commit by the interval: offsets are stored because of acknowledgements.
  await using service = await startService({ bootstrapServers, env: { OFFSET_FLUSH_INTERVAL_MS: '600000' } })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await service.waitForLog(/Connected to binlog at/)
  await service.stop()
  await fill(schema, killing)

  const untilThere = (wanted: number): Promise<unknown> =>
    eventually('more rows have arrived', async () => (await size()) >= Math.min(wanted, rows), {
      everyMs: 2,
      timeoutMs: 60_000,
    })
  for (let kill = 1; kill <= kills; kill++) {
    const before = await size()
    await service.start()
    await untilThere(before + BETWEEN_KILLS)
    if (kill % 2 === 0) {
      await broker.kill('SIGSTOP')
      await untilIdle(service)
      await broker.kill('SIGCONT')
      await untilThere(before + BETWEEN_KILLS + REPEATED_MAX)
    }
    await service.kill()
  }
  await service.start()
  await waitForRecords(bootstrapServers, marker, 1)
  // A clean stop waits for the records that were sent before the marker.
  await service.stop()
  const records = await readTopic(bootstrapServers, topic)
  const byPartition = [...Map.groupBy(records, ({ partition }) => partition).values()]
  const deliveries = byPartition.map((each) => deliveriesOf(each.map(idOf)))
  const repeats = repeatsOfKills(deliveries.flatMap(({ again }) => again))
  t.diagnostic(`${kills} kills repeated ${repeats.join(', ')} records`)
  assert.deepEqual(
    deliveries.flatMap(({ first }) => first).sort((one, other) => one - other),
    Array.from({ length: rows }, (_, i) => i + 1),
  )
  assert.ok(repeats.length <= kills)
  assert.ok(Math.max(0, ...repeats) <= REPEATED_MAX)
}
