/** Initial snapshots without a lock: rows are copied in chunks beside the stream. */
import type { TableId } from '@tributary/connector-kit'
import { MySqlConnection } from '@tributary/mysql'
import { CodedError, systemClock } from '@tributary/support'
import {
  casesOfTier,
  type Database,
  eventually,
  seededRandom,
  startMySql,
  uniqueName,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parseConfig } from './config/connector-definition.ts'
import { mariadbKind, mysqlKind } from './connector-kind.ts'
import { flavorOf } from './flavor/flavor-of.ts'
import { mysqlFlavor } from './flavor/mysql-flavor.ts'
import { requireAllTables } from './snapshot/all-tables.ts'
import type { DdlSession } from './schema/ddl-session.ts'
import type { StatementTargets } from './schema/statement-targets.ts'
import { findTables } from './snapshot/snapshot-structure.ts'
import { shopInterpreter } from './testing/shop-interpreter.ts'
import { findLateTable } from './snapshot/late-tables.ts'
import { binlogOf } from './testing/binlog-of.ts'
import { runIncremental } from './testing/incremental-run.ts'
import { isStreaming, type Scene, sceneOf, TaskRun } from './testing/task-run.ts'

type OpenDatabase = Database & Partial<AsyncDisposable>

const servers: readonly (readonly [string, () => Promise<OpenDatabase>])[] = [
  ['MySQL', useMySql],
  ['MySQL without GTIDs', () => startMySql({ gtid: false })],
  ['MariaDB', useMariaDb],
]

function isCopied({ logger }: TaskRun): boolean {
  return logger.matching('The incremental snapshot is complete').length > 0
}

/** The account of a user that may do what the documentation requires for a snapshot without a lock, and more if asked. */
async function accountFor(
  { database, schema }: Scene,
  more: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const user = uniqueName('user')
  await database.query(`CREATE USER ${user} IDENTIFIED BY 'secret'; GRANT ${['SELECT', ...more].join()} ON ${schema}.* TO ${user};
    GRANT REPLICATION SLAVE, REPLICATION CLIENT, SHOW DATABASES ON *.* TO ${user}`)
  return { 'database.user': user, 'database.password': 'secret' }
}

/** Inserts rows from several sessions until it is stopped. Yields their number. */
async function insertInto({ database, schema }: Scene, table: string, signal: AbortSignal): Promise<number> {
  const counts = [1, 2, 3].map(async (writer) => {
    const connection = await database.connect()
    let count = 0
    while (!signal.aborted) {
      await connection.query(`INSERT INTO ${schema}.${table} VALUES (${writer * 1_000_000 + (count += 1)})`)
    }
    await connection.end()
    return count
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

const KEYLESS =
  'CREATE TABLE keyed (id INT PRIMARY KEY); CREATE TABLE keyless (id INT); INSERT INTO keyless VALUES (1), (1)'

for (const [title, open] of casesOfTier('lock-free', servers)) {
  describe(title, () => {
    let database: OpenDatabase
    before(async () => {
      database = await open()
    })
    after(() => database[Symbol.asyncDispose]?.())

    test('topics equal SELECT beside writers and altered tables, and after a kill', async (t) => {
      const random = seededRandom()
      t.diagnostic(`seed ${random.seed}`)
      const options = { random, rows: 40, kills: 1, killsAt: [0.5], alters: true } as const
      const figures = await runIncremental(database, { ...options, type: 'initial' })
      t.diagnostic(JSON.stringify(figures))
      assert.ok(figures.snapshotRows > 100 && figures.changes > 20)
    })

    test('a user without RELOAD and LOCK TABLES needs no property, and the stream begins before the rows', async () => {
      const rows = Array.from({ length: 300 }, (_, i) => `(${i})`).join()
      const scene = await sceneOf(
        database,
        `CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO a VALUES ${rows}`,
      )
      const account = await accountFor(scene)
      await using run = await TaskRun.start(scene, { ...account, 'incremental.snapshot.chunk.size': '10' })
      await run.until(({ events }) => events.length > 20)
      await database.query(`INSERT INTO ${scene.schema}.b VALUES (1)`)
      await run.until(isCopied)
      assert.equal(run.logger.matching('has neither RELOAD nor LOCK TABLES').length, 1)
      assert.equal(run.logger.matching('Writes to the database were blocked').length, 0)
      const copied = run.events.filter(({ op, table }) => op === 'r' && table === 'a')
      assert.deepEqual([...new Set(copied.map(({ marker }) => marker))], ['incremental'])
      assert.deepEqual(
        copied.map(({ after: row }) => Number(row?.[0])),
        Array.from({ length: 300 }, (_, i) => i),
      )
      const change = run.events.findIndex(({ op }) => op === 'c')
      assert.ok(
        run.events.slice(change).some(({ table }) => table === 'a'),
        'the change is between the rows',
      )
    })

    test('rows without a key are read at the position of the stream: none is doubled, none is missing', async () => {
      const scene = await sceneOf(database, KEYLESS)
      const account = await accountFor(scene, database.flavor === 'mariadb' ? [] : ['LOCK TABLES'])
      const writers = new AbortController()
      const inserted = insertInto(scene, 'keyless', writers.signal)
      await using run = await TaskRun.start(scene, { ...account, 'snapshot.locking.mode': 'none' })
      await run.until(({ events }) => events.filter(({ op }) => op === 'c').length > 100)
      writers.abort()
      await inserted
      await database.query(`INSERT INTO ${scene.schema}.keyless VALUES (0)`)
      await run.until(({ changes }) => changes.includes('c 0'))
      const selected = await database.query(`SELECT id FROM ${scene.schema}.keyless ORDER BY id`)
      assert.deepEqual(
        run.events.map(({ after: row }) => Number(row?.[0])).toSorted((a, b) => a - b),
        selected.map((row) => Number(row['id'])),
      )
      assert.ok(run.changes.includes('r 1'))
    })

    test('tables that come with IF NOT EXISTS while it begins are not missing', async () => {
      const others = Array.from({ length: 40 }, (_, i) => `CREATE TABLE other${i} (id INT PRIMARY KEY)`).join(';')
      const scene = await sceneOf(database, `${KEYLESS}; ${others}`)
      const { schema } = scene
      const writer = await database.connect()
      await using run = await TaskRun.start(scene, { 'snapshot.locking.mode': 'none' })
      const began = run.until(isStreaming)
      let count = 0
      // Some are created between the list of tables and the transaction that reads the table without a key.
      while (run.logger.matching('Snapshot step 5').length === 0 || count < 40) {
        count += 1
        await writer.query(`CREATE TABLE IF NOT EXISTS ${schema}.new${count} (id INT PRIMARY KEY)`)
        await writer.query(`INSERT INTO ${schema}.new${count} VALUES (${count})`)
      }
      await writer.end()
      await began
      await database.query(`INSERT INTO ${schema}.keyless VALUES (0)`)
      await run.until((each) => each.changes.includes('c 0') && isCopied(each))
      const tables = new Set(run.events.map(({ table }) => table))
      const missing = Array.from({ length: count }, (_, i) => `new${i + 1}`).filter((name) => !tables.has(name))
      assert.deepEqual(missing, [])
    })

    test('a list of tables without one that came before the position is not used', async () => {
      const scene = await sceneOf(database, KEYLESS)
      const { connection: options, binlogFrom } = binlogOf(database)
      await using connection = await MySqlConnection.open(options)
      const [version] = await connection.query('SELECT VERSION()')
      const flavor = flavorOf(version?.[0] ?? '')
      const serverInfo = await flavor.readServerInfo(connection)
      const kind = flavor.name === 'mariadb' ? mariadbKind : mysqlKind
      const config = parseConfig(kind, scene.config)
      const begun = await flavor.readPosition(connection, serverInfo)
      const found = await findTables(connection, config)
      const parts = { config, flavor, serverInfo, interpreter: shopInterpreter(), binlogFrom, clock: systemClock }
      const check = async (): Promise<void> => {
        const position = await flavor.readPosition(connection, serverInfo)
        await requireAllTables(connection, { found, begun, position }, parts, new AbortController().signal)
      }
      await check()
      await database.query(`CREATE TABLE IF NOT EXISTS ${scene.schema}.keyed (id INT)`)
      await check()
      await database.query(`CREATE TABLE IF NOT EXISTS ${scene.schema}.late (id INT)`)
      await assert.rejects(check(), /late was created/)
    })

    test('a table with rows or a name in the binlog that is not in the list is found, as long as it exists', async () => {
      if (title !== 'MySQL without GTIDs') return
      const { schema } = await sceneOf(
        database,
        `CREATE TABLE late SELECT 1 AS id; CREATE TABLE before_it (id INT); RENAME TABLE before_it TO renamed;
         CREATE TABLE IF NOT EXISTS maybe (id INT); CREATE TABLE shown SELECT 1 AS id; DROP TABLE shown;
         CREATE VIEW shown AS SELECT 1 AS id`,
      )
      const { connection: options, binlogFrom } = binlogOf(database)
      await using connection = await MySqlConnection.open(options)
      const until = await mysqlFlavor.readPosition(connection, await mysqlFlavor.readServerInfo(connection))
      const interpreter = shopInterpreter()
      const find = async (...known: readonly string[]): Promise<string | null> => {
        const isKnown = ({ database: name, table }: TableId): boolean => name !== schema || known.includes(table)
        const parts = { connection, interpreter, binlogFrom, silenceMsMax: 10_000, clock: systemClock, isKnown }
        return (await findLateTable(until, parts, new AbortController().signal))?.table ?? null
      }
      assert.equal(await find(), 'late')
      assert.equal(await find('late'), 'renamed')
      assert.equal(await find('late', 'renamed'), 'maybe')
      assert.equal(await find('late', 'renamed', 'maybe'), null)
      await database.query(`DROP TABLE ${schema}.late`)
      assert.equal(await find('renamed', 'maybe'), null)
    })

    test('a table is found that a statement has created which is not understood', async () => {
      if (title !== 'MySQL without GTIDs') return
      const { schema } = await sceneOf(database, 'CREATE TABLE `of ``one``` (id INT)')
      await database.query(`CREATE TABLE ${schema}.other (id INT)`)
      const { connection: options, binlogFrom } = binlogOf(database)
      await using connection = await MySqlConnection.open(options)
      const until = await mysqlFlavor.readPosition(connection, await mysqlFlavor.readServerInfo(connection))
      const session = { sessionOf: () => ({ database: schema }) as DdlSession }
      const targetsOf = (): StatementTargets => ({ tag: 'unclear', tables: [], database: schema, words: new Set() })
      const find = async (...known: readonly string[]): Promise<string | null> => {
        const isKnown = ({ database: name, table }: TableId): boolean => name !== schema || known.includes(table)
        const interpreter = { ...session, targetsOf }
        const parts = { connection, interpreter, binlogFrom, silenceMsMax: 10_000, clock: systemClock, isKnown }
        return (await findLateTable(until, parts, new AbortController().signal))?.table ?? null
      }
      assert.equal(await find(), 'of `one`')
      assert.equal(await find('of `one`'), 'other')
      assert.equal(await find('of `one`', 'other'), null)
    })

    test('a prepared XA transaction of MariaDB is waited for: its commit may be in the binlog and not visible', async () => {
      if (title !== 'MariaDB') return
      const scene = await sceneOf(database, `${KEYLESS}; INSERT INTO keyed VALUES (1)`)
      const { schema } = scene
      const xid = `'${schema}'`
      const session = await database.connect()
      for (const sql of [
        `XA START ${xid}`,
        `INSERT INTO ${schema}.keyless VALUES (2)`,
        `UPDATE ${schema}.keyed SET id = 2`,
        `XA END ${xid}`,
        `XA PREPARE ${xid}`,
      ])
        await session.query(sql)
      await using refused = await TaskRun.start(scene, await accountFor(scene))
      assert.equal((await refused.failure()).code, 'SNAPSHOT_TABLES_NEED_LOCK')
      const account = await accountFor(scene, ['LOCK TABLES'])
      await using run = await TaskRun.start(scene, { ...account, 'snapshot.locking.mode': 'none' })
      const began = run.until(isStreaming)
      await eventually('a lock is acquired', () => run.logger.matching('A lock on').length > 0)
      assert.deepEqual(run.changes, [])
      await session.query(`XA COMMIT ${xid}`)
      await session.end()
      await began
      await run.until(isCopied)
      assert.deepEqual(
        run.changes.toSorted((a, b) => (a < b ? -1 : 1)),
        ['r 1', 'r 1', 'r 2', 'r 2'],
      )
    })

    test('a chunk on MariaDB waits for the rows of a prepared XA transaction', async () => {
      if (title !== 'MariaDB') return
      const scene = await sceneOf(
        database,
        'CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (1)',
      )
      const { schema } = scene
      const xid = `'${schema}'`
      const session = await database.connect()
      for (const sql of [`XA START ${xid}`, `UPDATE ${schema}.b SET id = 2`, `XA END ${xid}`, `XA PREPARE ${xid}`])
        await session.query(sql)
      await using run = await TaskRun.start(scene, await accountFor(scene))
      await run.until(isStreaming)
      await database.query(`INSERT INTO ${schema}.a VALUES (1)`)
      await run.until(({ events }) => events.length > 0)
      assert.equal(isCopied(run), false)
      await session.query(`XA COMMIT ${xid}`)
      await session.end()
      await run.until(isCopied)
      const last = run.events.findLast(({ table, op }) => table === 'b' && op !== 'd')
      assert.deepEqual(last?.after, ['2'])
      assert.ok(!run.changes.slice(run.changes.indexOf('d 1')).includes('r 1'))
    })

    test('rows without a key need a lock only where MySQL has no GTIDs', async () => {
      const scene = await sceneOf(database, KEYLESS)
      await using run = await TaskRun.start(scene, await accountFor(scene))
      if (title === 'MySQL without GTIDs') {
        const error = await run.failure()
        assert.ok(error instanceof CodedError)
        assert.equal(error.code, 'SNAPSHOT_TABLES_NEED_LOCK')
        assert.match(error.message, /keyless/)
        assert.deepEqual(run.changes, [])
        return
      }
      await run.until(isStreaming)
      assert.deepEqual(run.changes, ['r 1', 'r 1'])
      assert.equal(run.logger.matching('A lock on').length, 0)
    })
  })
}
