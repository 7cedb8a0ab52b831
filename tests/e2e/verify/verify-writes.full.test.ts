/** Twenty comparisons per server while three hundred transactions per second change the tables: no difference. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, startService, uniqueName, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import { capture, verifyAll } from './verify-bed.ts'
import { createOrders, startWriters } from './writers.ts'

const servers: readonly (readonly [name: string, use: () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

const RUNS = 20

for (const [flavor, use] of servers) {
  test(`${flavor}: twenty comparisons of changing tables report nothing`, async () => {
    const database = await use()
    const { bootstrapServers } = await useKafka()
    const name = uniqueName('verify')
    await createOrders(database, name, 20_000)
    await using service = await startService({ bootstrapServers })
    const bed = { database, bootstrapServers, service, name }
    await capture(bed, { 'topic.creation.default.partitions': '3', 'topic.creation.default.replication.factor': '1' })
    await using writers = await startWriters(database, name, 300)
    for (let i = 0; i < RUNS; i++) {
      const run = await verifyAll(bed)
      assert.deepEqual(
        [run.error, run.tables.map(({ state, differences, unproven }) => [state, differences, unproven])],
        [null, [['EQUAL', [], []]]],
        `run ${i}`,
      )
    }
    assert.ok(writers.count > 1_000, `${writers.count} transactions were committed meanwhile`)
  })
}
