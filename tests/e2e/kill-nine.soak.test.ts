/**
 * The service is killed (SIGKILL) twenty times while rows are inserted, updated and deleted: in the snapshot, in the
 * middle of a large transaction, around changes of the schema, and around offset commits. No version of any row may be
 * missing or out of order, and the last one sent must be the one that SELECT returns. Repeats are counted: a kill may
 * cause them.
 *
 *     KILL_SEED=7 npm run test:soak -- kill-nine
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  connectorConfig,
  type Database,
  eventually,
  kafkaClient,
  readTopic,
  seededRandom,
  type SeededRandom,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
} from '@tributary/testkit'
import { auditTopic, compareWithSelect } from './kill-nine/audit-topic.ts'
import { Killer } from './kill-nine/killer.ts'
import { Writer } from './kill-nine/writer.ts'

const SCHEMA = 'kills'
const TOPIC = `${SCHEMA}.${SCHEMA}.items`
const FIRST_ROWS = 30_000
const CHANGES = 100_000
const KILLS_EACH = 5

const servers: readonly (readonly [string, () => Promise<Database & AsyncDisposable>])[] = [
  ['MySQL with GTIDs', () => startMySql()],
  ['MySQL without GTIDs', () => startMySql({ gtid: false })],
  ['MariaDB', () => startMariaDb()],
]

for (const [name, startDatabase] of servers) {
  describe(name, () => {
    test('twenty kills lose no event and change no order', async (t) => {
      const given = process.env['KILL_SEED']
      const random = given === undefined ? seededRandom() : seededRandom(Number(given))
      t.diagnostic(`seed ${random.seed}`)
      await using database = await startDatabase()
      await using kafka = await startKafka()
      const { bootstrapServers } = kafka
      await using admin = (await kafkaClient(bootstrapServers)).admin()
      await admin.createTopic({ name: TOPIC, partitions: 3, replicationFactor: 1 })
      const writer = await Writer.open(database, SCHEMA, random, FIRST_ROWS)
      await using service = await startService({ bootstrapServers })
      await service.register(SCHEMA, connectorConfig({ database, bootstrapServers, prefix: SCHEMA, includes: SCHEMA }))
      const killer = new Killer(service, bootstrapServers)

      await killInSnapshot(killer, writer, random)
      await waitForStoredSnapshot(bootstrapServers, `${service.name}_offsets`)
      await killInTransactions(killer, writer, random)
      await killAroundDdl(killer, writer, random)
      await killAroundCommits(killer, writer, random, `${service.name}_offsets`)
      while (writer.changes < CHANGES) await writer.small()
      const audit = await auditTopic(bootstrapServers, TOPIC, writer)

      t.diagnostic(
        `${killer.kills} kills, ${writer.changes} changes, ${audit.events} events, ${audit.repeats} repeats, ${audit.faults.length} faults`,
      )
      assert.deepEqual(audit.faults.slice(0, 20), [])
      assert.equal(killer.kills, 4 * KILLS_EACH)
      await compareWithSelect(database, SCHEMA, audit)
      await writer.close()
      await killer.close()
    })
  })
}

async function killInSnapshot(killer: Killer, writer: Writer, random: SeededRandom): Promise<void> {
  for (let i = 0; i < KILLS_EACH; i++) {
    const size = await killer.size(TOPIC)
    await writer.small(false)
    await killer.whenGrown(TOPIC, size, random.integer(1, FIRST_ROWS / 2))
  }
}

/** Until the end of the snapshot is stored, a kill restarts the snapshot. */
async function waitForStoredSnapshot(bootstrapServers: readonly string[], offsets: string): Promise<void> {
  const isStored = async (): Promise<boolean> => {
    const last = (await readTopic(bootstrapServers, offsets)).at(-1)?.value?.toString() ?? 'snapshot'
    return !last.includes('snapshot')
  }
  await eventually('the end of the snapshot is stored', isStored, { timeoutMs: 300_000, everyMs: 200 })
}

async function killInTransactions(killer: Killer, writer: Writer, random: SeededRandom): Promise<void> {
  for (let i = 0; i < KILLS_EACH; i++) {
    const size = await killer.size(TOPIC)
    await writer.large(6000)
    await Promise.all([killer.whenGrown(TOPIC, size, random.integer(1, 5000)), writer.small()])
  }
}

async function killAroundDdl(killer: Killer, writer: Writer, random: SeededRandom): Promise<void> {
  for (let i = 0; i < KILLS_EACH; i++) {
    await writer.small()
    const size = await killer.size(TOPIC)
    await writer.alter(
      i % 2 === 0 ? `ADD COLUMN extra${i} INT NOT NULL DEFAULT ${i} FIRST` : `DROP COLUMN extra${i - 1}`,
    )
    await writer.small()
    await killer.whenGrown(TOPIC, size, random.integer(0, 4))
    await writer.small()
  }
}

async function killAroundCommits(killer: Killer, writer: Writer, random: SeededRandom, offsets: string): Promise<void> {
  for (let i = 0; i < KILLS_EACH; i++) {
    const size = await killer.size(offsets)
    for (let n = 0; n < 20; n++) await writer.small()
    await killer.whenGrown(offsets, size, random.integer(1, 2))
  }
}
