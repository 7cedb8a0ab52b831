/**
 * Compressed binlogs: transactions of MySQL (`binlog_transaction_compression`), events of MariaDB (`log_bin_compress`).
 * Servers of this file alone, since the setting of MariaDB is global.
 */
import { type ConnectValue, Struct } from '@tributary/connect-api'
import {
  casesOfTier,
  type Database,
  type DatabaseServer,
  type SeededRandom,
  seededRandom,
  startMariaDb,
  startMySql,
} from '@tributary/testkit'
import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { runStatements } from '../testing/run-statements.ts'
import { isStreaming, type Scene, sceneOf, type TaskEvent, TaskRun } from '../testing/task-run.ts'

const SEED = 20_261_125
const NO_DATA = { 'snapshot.mode': 'no_data' }

interface Server {
  readonly name: string
  readonly start: () => Promise<DatabaseServer>
  /** Statements that switch compression on and off; `compression` is for the current session. */
  readonly compression: readonly [on: string, off: string]
}

const SERVERS: readonly Server[] = [
  {
    name: 'MySQL',
    start: () => startMySql({ gtid: false }),
    compression: [
      'SET SESSION binlog_transaction_compression = ON',
      'SET SESSION binlog_transaction_compression = OFF',
    ],
  },
  {
    name: 'MariaDB',
    start: () => startMariaDb({ args: ['--log-bin-compress-min-len=10'] }),
    compression: ['SET GLOBAL log_bin_compress = ON', 'SET GLOBAL log_bin_compress = OFF'],
  },
]

const TABLE = `CREATE TABLE t (id INT PRIMARY KEY, n BIGINT, d DECIMAL(20, 5), v VARCHAR(2000), b LONGBLOB, s DATETIME(6)) CHARSET utf8mb4`

/** Runs the statements in one session. */
function randomValues(random: SeededRandom): string {
  const text = random.pick(['x', 'äöü ', '漢字', "it''s ", 'plain words '])
  const values = [
    random.integer(-(2 ** 31), 2 ** 31),
    `${random.integer(-999_999, 999_999)}.${random.integer(0, 100_000)}`,
    `REPEAT('${text}', ${random.integer(0, 150)})`,
    random() < 0.3 ? `REPEAT(x'${random.bytes(8).toString('hex')}', ${random.integer(0, 9_000)})` : 'NULL',
    `'2026-01-${random.integer(10, 28)} 10:11:12.${random.integer(100_000, 999_999)}'`,
  ]
  return values.map((value) => (random() < 0.1 ? 'NULL' : value)).join(', ')
}

/** A transaction that inserts, updates and deletes rows. */
function randomTransaction(random: SeededRandom, ids: number[]): readonly string[] {
  const statements: string[] = []
  for (let i = random.integer(1, 5); i > 0; i--) {
    const kind = random()
    const known = ids.length === 0 ? null : random.pick(ids)
    if (known === null || kind < 0.5) {
      const rows = Array.from({ length: random.integer(1, 40) }, () => {
        ids.push(ids.length + 1)
        return `(${ids.length}, ${randomValues(random)})`
      })
      statements.push(`INSERT INTO t VALUES ${rows.join(', ')}`)
    } else if (kind < 0.85) {
      const text = `REPEAT('${random.pick(['y', 'ü', 'z '])}', ${random.integer(0, 300)})`
      statements.push(
        `UPDATE t SET n = ${random.integer(0, 1000)}, v = ${text} WHERE id BETWEEN ${known} AND ${known + 9}`,
      )
    } else statements.push(`DELETE FROM t WHERE id = ${known}`)
  }
  return ['START TRANSACTION', ...statements, 'COMMIT']
}

/** The rows that the changes lead to, by their key. */
function replayed(events: readonly TaskEvent[]): ReadonlyMap<string, string> {
  const rows = new Map<string, string>()
  for (const { op, before, after } of events) {
    const [id = ''] = after ?? before ?? []
    if (op === 'd') assert.ok(rows.delete(id), `${id} is deleted, which is not there`)
    else rows.set(id, present(after, 'a row').join('|'))
    if (op === 'u') assert.equal(before?.[0], id)
  }
  return rows
}

async function start(scene: Scene, more: Readonly<Record<string, string>> = {}): Promise<TaskRun> {
  const task = await TaskRun.start(scene, { ...NO_DATA, ...more })
  await task.until(isStreaming)
  return task
}

for (const { name, start: startServer, compression } of SERVERS) {
  suite(`the compressed binlog of ${name}`, () => {
    let started: DatabaseServer | undefined
    const [on, off] = compression
    const server = (): Database => present(started, 'the server')
    before(async () => {
      started = await startServer()
    })
    after(() => started?.[Symbol.asyncDispose]())

    test('changes are those of the uncompressed binlog of a copy of the table', async () => {
      const random = seededRandom(SEED)
      const scene = await sceneOf(server(), `${TABLE}; CREATE TABLE done (id INT PRIMARY KEY)`)
      await using task = await start(scene)
      const ids: number[] = []
      const transactions = Array.from({ length: 60 }, () => randomTransaction(random, ids))
      for (const transaction of transactions) await runStatements(scene, [random() < 0.7 ? on : off, ...transaction])
      await runStatements(scene, [off, 'INSERT INTO done VALUES (1)'])
      await task.until(({ events }) => events.some(({ table }) => table === 'done'))

      // The same statements uncompressed.
      const plain = await sceneOf(server(), `${TABLE}; CREATE TABLE done (id INT PRIMARY KEY)`)
      await using other = await start(plain)
      for (const transaction of transactions) await runStatements(plain, transaction)
      await runStatements(plain, ['INSERT INTO done VALUES (1)'])
      await other.until(({ events }) => events.some(({ table }) => table === 'done'))

      assert.deepEqual(task.events, other.events)
      const rows = await server().query(`SELECT id, v FROM ${scene.schema}.t ORDER BY id`)
      const last = replayed(task.events.filter(({ table }) => table === 't'))
      assert.deepEqual(
        [...last.keys()].map(Number).sort((a, b) => a - b),
        rows.map((row) => row['id']),
      )
      for (const row of rows) assert.equal(last.get(String(row['id']))?.split('|')[3], row['v'] ?? 'null')
    })

    test('a prepared transaction, before the start of the task and after it', async () => {
      const scene = await sceneOf(server(), TABLE)
      const insert = (id: number): string => `INSERT INTO t (id, v) VALUES (${id}, REPEAT('prepared ', 40))`
      const prepare = (xid: string, id: number): readonly string[] => [
        on,
        `XA START '${xid}'`,
        insert(id),
        `UPDATE t SET n = 5 WHERE id = ${id}`,
        `XA END '${xid}'`,
        `XA PREPARE '${xid}'`,
      ]
      await runStatements(scene, prepare(`${scene.schema}a`, 1))
      await using task = await start(scene)
      await runStatements(scene, prepare(`${scene.schema}b`, 2))
      await runStatements(scene, prepare(`${scene.schema}c`, 3))
      await runStatements(scene, [
        `XA COMMIT '${scene.schema}a'`,
        `XA ROLLBACK '${scene.schema}c'`,
        `XA COMMIT '${scene.schema}b'`,
        off,
      ])

      const ops = (await task.untilChanges(4)).map((change) => change.split(' ').slice(0, 3).join(' '))
      assert.deepEqual(ops, ['c 1 null', 'u 1 5', 'c 2 null', 'u 2 5'])
    })

    test('savepoints that are rolled back to', async () => {
      const scene = await sceneOf(
        server(),
        `${TABLE}; CREATE TABLE m (id INT PRIMARY KEY, v VARCHAR(500)) ENGINE=MyISAM`,
      )
      await using task = await start(scene)
      const insert = (id: number): string => `INSERT INTO t (id, v) VALUES (${id}, REPEAT('kept ', 60))`
      await runStatements(scene, [
        on,
        'START TRANSACTION',
        insert(1),
        'SAVEPOINT s',
        insert(2),
        `INSERT INTO m VALUES (1, REPEAT('stays ', 60))`,
        'ROLLBACK TO SAVEPOINT s',
        insert(3),
        'SAVEPOINT s',
        insert(4),
        'COMMIT',
        off,
        'INSERT INTO t (id) VALUES (100)',
      ])
      const rows = await server().query(`SELECT id FROM ${scene.schema}.t ORDER BY id`)
      assert.deepEqual(
        rows.map((row) => row['id']),
        [1, 3, 4, 100],
      )
      await task.until(({ changes }) => changes.some((change) => change.startsWith('c 100 ')))

      const kept = task.events.filter(({ table }) => table === 't').map(({ op, after: row }) => `${op} ${row?.[0]}`)
      assert.deepEqual(kept, ['c 1', 'c 3', 'c 4', 'c 100'])
      assert.equal(task.events.filter(({ table }) => table === 'm').length, 1)
    })

    test('statements that define tables, with their rows', async () => {
      const scene = await sceneOf(server(), TABLE)
      await runStatements(scene, [`INSERT INTO t (id, v) VALUES (1, REPEAT('copied ', 50))`])
      await using task = await start(scene)
      const comment = 'y'.repeat(300)
      await runStatements(scene, [
        on,
        `ALTER TABLE t ADD COLUMN w INT COMMENT '${comment}'`,
        `INSERT INTO t (id, v, w) VALUES (2, REPEAT('altered ', 50), 3)`,
        `CREATE TABLE copy (PRIMARY KEY (id)) COMMENT '${comment}' AS SELECT id, v, w FROM t`,
        off,
        'INSERT INTO copy VALUES (3, NULL, 4)',
      ])
      await task.until(({ events }) => events.length >= 4)

      const seen = task.events.map(({ op, table, after: row }) => `${op} ${table} ${row?.[0]} ${row?.at(-1)}`)
      assert.deepEqual(seen, ['c t 2 3', 'c copy 1 null', 'c copy 2 3', 'c copy 3 4'])
      assert.equal(task.statements.filter((sql) => sql.includes(comment)).length, 2)
    })

    test('the statement of each row', async () => {
      const scene = await sceneOf(server(), TABLE)
      await using task = await start(scene, { 'include.query': 'true' })
      const queries: ConnectValue[] = []
      task.onRecord = ({ value }) => void queries.push(queryOf(value))
      const logged = name === 'MySQL' ? 'binlog_rows_query_log_events' : 'binlog_annotate_row_events'
      const statements = [1, 2].map((id) => `INSERT INTO t (id, v) VALUES (${id}, '${'logged '.repeat(60)}')`)
      await runStatements(scene, [on, `SET SESSION ${logged} = ON`, 'START TRANSACTION', ...statements, 'COMMIT', off])
      await task.untilChanges(2)
      assert.deepEqual(queries, statements)
    })
  })
}

const RESTARTED: readonly Server[] = [
  ...SERVERS,
  { ...(SERVERS[0] as Server), name: 'MySQL with GTIDs', start: () => startMySql() },
]

for (const { name, start: startServer, compression } of casesOfTier('restarts in a compressed binlog', RESTARTED)) {
  test(`${name}: a task that ends after any event of a compressed transaction continues with the next one`, async () => {
    await using server = await startServer()
    const scene = await sceneOf(server, TABLE)
    const source = await start(scene)
    const { stored } = source
    await source[Symbol.asyncDispose]()
    const rows = (from: number): string =>
      Array.from({ length: 5 }, (_, i) => `(${from + i}, 1, 2.5, REPEAT('text ', 50), NULL, NULL)`).join(', ')
    await runStatements(scene, [
      compression[0],
      'START TRANSACTION',
      `INSERT INTO t VALUES ${rows(0)}`,
      'UPDATE t SET n = n + 1',
      `INSERT INTO t VALUES ${rows(5)}`,
      'DELETE FROM t WHERE id > 7',
      'COMMIT',
      compression[1],
      'INSERT INTO t (id) VALUES (100)',
    ])
    const places: { readonly offset: TaskRun['stored']; readonly changes: number }[] = []
    await using whole = await TaskRun.start(scene, NO_DATA, stored)
    whole.onRecord = ({ value, sourceOffset }) => {
      // A deletion is done with its tombstone, and repeated before that.
      if (opOf(value) === 'd') return
      places.push({ offset: sourceOffset.toDocument(), changes: whole.events.length + (value === null ? 0 : 1) })
    }
    const expected = await whole.untilChanges(18)
    assert.equal(expected.length, 18)

    for (const { offset, changes } of places) {
      if (changes === expected.length) continue
      // Debezium would apply the ordinary counters to later transactions.
      const ordinary = [offset?.['event'], offset?.['row']].filter((count) => count !== undefined)
      assert.equal(ordinary.length === 0, name !== 'MariaDB')
      await using second = await TaskRun.start(scene, NO_DATA, offset)
      await second.untilChanges(expected.length - changes)
      assert.deepEqual(second.changes, expected.slice(changes), `after ${changes} events`)
    }
  })
}

function opOf(value: ConnectValue): ConnectValue {
  return value instanceof Struct ? value.get('op') : null
}

function queryOf(value: ConnectValue): ConnectValue {
  const source = value instanceof Struct ? value.get('source') : null
  return source instanceof Struct ? source.get('query') : null
}

test('MySQL: a replica takes over within a compressed transaction, whose files have other names', async () => {
  await using source = await startMySql()
  await using replica = await startMySql({ args: ['--log-bin=mirror'] })
  await replica.query(`CHANGE REPLICATION SOURCE TO SOURCE_HOST = '${source.host}', SOURCE_PORT = ${source.port},
    SOURCE_USER = 'root', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1; START REPLICA`)
  const scene = await sceneOf(source, TABLE)
  const offsets: TaskRun['stored'][] = []
  const task = await start(scene)
  task.onRecord = ({ sourceOffset }) => void offsets.push(sourceOffset.toDocument())
  const insert = (id: number): string => `INSERT INTO t (id, v) VALUES (${id}, REPEAT('text ', 50)), (${id + 1}, NULL)`
  const on = 'SET SESSION binlog_transaction_compression = ON'
  await runStatements(scene, [
    on,
    insert(1),
    'START TRANSACTION',
    insert(3),
    insert(5),
    'UPDATE t SET n = 1',
    'COMMIT',
    insert(7),
  ])
  const expected = await task.untilChanges(14)
  await task[Symbol.asyncDispose]()
  const [executed] = await source.query('SELECT @@global.gtid_executed AS gtids')
  await replica.query(`SELECT WAIT_FOR_EXECUTED_GTID_SET('${String(executed?.['gtids'])}', 60)`)

  const address = { 'database.hostname': replica.host, 'database.port': String(replica.port) }
  for (const [i, offset] of offsets.slice(0, -1).entries()) {
    await using other = await TaskRun.start(scene, { ...NO_DATA, ...address }, offset)
    await other.until(({ changes }) => changes.at(-1) === expected.at(-1))
    // The replica may divide the rows into other events, so the transaction is repeated from its begin.
    const repeated = other.changes.length - (expected.length - i - 1)
    assert.deepEqual(other.changes, expected.slice(i + 1 - repeated), `after ${i + 1} events`)
    assert.ok(repeated <= 10, `${repeated} events are repeated after ${i + 1}`)
  }
})
