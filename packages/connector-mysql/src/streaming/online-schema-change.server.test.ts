/**
 * Online schema changes with the statements that gh-ost and pt-online-schema-change run, while a task streams and other
 * sessions write: the events of the table have the definition that it had when they were written. Judged by SELECT.
 */
import type { ConnectValue } from '@tributary/connect-api'
import { Struct } from '@tributary/connect-api'
import { casesOfTier, type Database, type DatabaseConnection, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const TABLE = `CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, note VARCHAR(10) CHARACTER SET latin1, amount INT);
  INSERT INTO orders (note, amount) VALUES ('é one', 1), ('two', 2), ('three', 3);
  CREATE TABLE done (id INT PRIMARY KEY)`

/** The column that each tool adds is in the middle, so that a wrong definition shifts values. */
const ALTER =
  "ADD COLUMN state ENUM('new','old') NOT NULL DEFAULT 'new' AFTER id, MODIFY note VARCHAR(99), DROP COLUMN amount"

/** A session of the tool, and one that writes to the table meanwhile. */
interface Sessions {
  readonly tool: DatabaseConnection
  readonly other: DatabaseConnection
}

type Tool = (sessions: Sessions) => Promise<void>

/** gh-ost: a ghost and a changelog table, rows copied in chunks, an atomic cut-over by two sessions. */
async function ghost({ tool, other }: Sessions): Promise<void> {
  await tool.query('DROP /* gh-ost */ TABLE IF EXISTS _orders_gho, _orders_del, _orders_ghc')
  await tool.query(
    "CREATE /* gh-ost */ TABLE _orders_ghc (id BIGINT UNSIGNED AUTO_INCREMENT, last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, hint VARCHAR(64) CHARSET ascii NOT NULL, value VARCHAR(4096) CHARSET ascii NOT NULL, PRIMARY KEY (id), UNIQUE KEY hint_uidx (hint)) AUTO_INCREMENT=256 COMMENT='a changelog'",
  )
  await tool.query('CREATE /* gh-ost */ TABLE _orders_gho LIKE orders')
  await tool.query(`ALTER /* gh-ost */ TABLE _orders_gho ${ALTER}`)
  await tool.query("INSERT /* gh-ost */ INTO _orders_ghc (hint, value) VALUES ('state', 'GhostTableMigrated')")
  await tool.query('INSERT /* gh-ost */ IGNORE INTO _orders_gho (id, note) (SELECT id, note FROM orders WHERE id <= 2)')
  await other.query("INSERT INTO orders (note, amount) VALUES ('while', 4)")
  await tool.query("REPLACE /* gh-ost */ INTO _orders_gho (id, note) VALUES (4, 'while')")
  await tool.query('INSERT /* gh-ost */ IGNORE INTO _orders_gho (id, note) (SELECT id, note FROM orders WHERE id > 2)')
  await other.query('DELETE FROM orders WHERE id = 2')
  await tool.query('DELETE /* gh-ost */ FROM _orders_gho WHERE id = 2')
  await tool.query("CREATE /* gh-ost */ TABLE _orders_del (id INT AUTO_INCREMENT PRIMARY KEY) COMMENT='sentry'")
  await tool.query('LOCK /* gh-ost */ TABLES orders WRITE, _orders_del WRITE')
  const renamed = other.query('RENAME /* gh-ost */ TABLE orders TO _orders_del, _orders_gho TO orders')
  await tool.query('DROP /* gh-ost */ TABLE IF EXISTS _orders_del')
  await tool.query('UNLOCK /* gh-ost */ TABLES')
  await renamed
  await tool.query('DROP /* gh-ost */ TABLE IF EXISTS _orders_ghc')
  await tool.query('DROP /* gh-ost */ TABLE IF EXISTS _orders_del')
}

/** pt-online-schema-change: a new table, triggers that copy changes, a rename of both tables. */
async function percona({ tool, other }: Sessions): Promise<void> {
  const [rows] = await tool.query('SHOW CREATE TABLE orders')
  const created = String((rows as Record<string, unknown>[])[0]?.['Create Table'])
  await tool.query(created.replace('`orders`', '`_orders_new`'))
  await tool.query(`ALTER TABLE _orders_new ${ALTER}`)
  for (const [name, event, change] of [
    ['del', 'DELETE', 'DELETE IGNORE FROM _orders_new WHERE _orders_new.id <=> OLD.id'],
    ['upd', 'UPDATE', 'REPLACE INTO _orders_new (id, note) VALUES (NEW.id, NEW.note)'],
    ['ins', 'INSERT', 'REPLACE INTO _orders_new (id, note) VALUES (NEW.id, NEW.note)'],
  ] as const) {
    await tool.query(
      `CREATE TRIGGER pt_osc_orders_${name} AFTER ${event} ON orders FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 BEGIN END; ${change}; END`,
    )
  }
  await tool.query(
    'INSERT LOW_PRIORITY IGNORE INTO _orders_new (id, note) SELECT id, note FROM orders LOCK IN SHARE MODE /* a copy */',
  )
  await other.query("INSERT INTO orders (note, amount) VALUES ('while', 4)")
  await other.query('DELETE FROM orders WHERE id = 2')
  await tool.query('ANALYZE TABLE _orders_new')
  await tool.query('RENAME TABLE orders TO _orders_old, _orders_new TO orders')
  await tool.query('DROP TABLE IF EXISTS _orders_old')
  for (const name of ['del', 'upd', 'ins']) await tool.query(`DROP TRIGGER IF EXISTS pt_osc_orders_${name}`)
}

/** Events with the names of their columns. */
class NamedEvents {
  readonly all: string[] = []

  observe(run: TaskRun): TaskRun {
    run.onRecord = ({ value }) => {
      if (!(value instanceof Struct) || value.schema.fields[0]?.name !== 'before') return
      const table = textOf((value.get('source') as Struct).get('table'))
      if (table === 'done') return
      this.all.push(
        `${table} ${textOf(value.get('op'))} ${rowText(value.get('before'))} -> ${rowText(value.get('after'))}`,
      )
    }
    return run
  }
}

function rowText(value: ConnectValue): string {
  if (!(value instanceof Struct)) return 'null'
  return value.schema.fields.map(({ name, index }) => `${name}=${textOf(value.at(index))}`).join(' ')
}

async function eventsOf(
  scene: Scene,
  tool: Tool,
  more: Readonly<Record<string, string>>,
  restarts: boolean,
): Promise<string[]> {
  const { database, schema } = scene
  const events = new NamedEvents()
  await using stack = new AsyncDisposableStack()
  const start = async (stored: TaskRun['stored']): Promise<TaskRun> => {
    const run = events.observe(stack.use(await TaskRun.start(scene, { 'snapshot.mode': 'no_data', ...more }, stored)))
    await run.until(isStreaming)
    return run
  }
  const run = await start(null)
  const sessions = { tool: await database.connect(), other: await database.connect() }
  stack.defer(() => {
    sessions.tool.destroy()
    sessions.other.destroy()
  })
  await sessions.tool.query(`USE ${schema}`)
  await sessions.other.query(`USE ${schema}`)
  await sessions.other.query("UPDATE orders SET amount = 11, note = 'ü' WHERE id = 1")
  await tool(sessions)
  await sessions.other.query("UPDATE orders SET state = 'old', note = CONCAT(note, ' after the change')")
  await sessions.other.query("INSERT INTO orders (note) VALUES ('last')")
  await sessions.other.query('INSERT INTO done VALUES (1)')
  await run.until((current) => current.changes.includes('c 1'))
  if (!restarts) return events.all
  const { stored } = run
  await run[Symbol.asyncDispose]()
  const next = await start(stored)
  await sessions.other.query("INSERT INTO orders (note) VALUES ('restarted')")
  await sessions.other.query('INSERT INTO done VALUES (2)')
  await next.until((current) => current.changes.includes('c 2'))
  return events.all
}

/** What the events must be, with the rows of SELECT after the change. */
async function expectedEvents(
  { database, schema }: Scene,
  captured: RegExp | null,
): Promise<(found: readonly string[]) => void> {
  const rows = await database.query(`SELECT id, state, note FROM ${schema}.orders ORDER BY id`)
  const after = rows.map(({ id, state, note }) => `id=${String(id)} state=${String(state)} note=${String(note)}`)
  return (found) => {
    const own = found.filter((event) => event.startsWith('orders '))
    if (captured !== null)
      assert.deepEqual(
        found.filter((event) => !captured.test(event)),
        [],
      )
    // Before the change, with the old columns.
    assert.deepEqual(own.slice(0, 3), [
      'orders u id=1 note=é one amount=1 -> id=1 note=ü amount=11',
      'orders c null -> id=4 note=while amount=4',
      'orders d id=2 note=two amount=2 -> null',
    ])
    // Afterwards each row of the table is the last one with its key.
    const last = new Map(own.slice(3).map((event) => [/-> (id=\d+)/.exec(event)?.[1], event.split(' -> ')[1]]))
    assert.deepEqual(new Set(last.values()), new Set(after))
    // The row before the first update is that which the tool has copied.
    assert.equal(own[3], 'orders u id=1 state=new note=ü -> id=1 state=old note=ü after the change')
  }
}

for (const [server, use] of casesOfTier('online schema change', [
  ['MySQL', (): Promise<Database> => useMySql()],
  ['MariaDB', (): Promise<Database> => useMariaDb()],
] as const)) {
  for (const [name, tool] of [
    ['gh-ost', ghost],
    ['pt-online-schema-change', percona],
  ] as const) {
    for (const [what, isListed, onlyCaptured, restarts] of [
      ['all tables are captured', false, false, false],
      ['the other tables are not captured', true, false, true],
      ['the history has captured tables only', true, true, true],
      ['the history has captured tables only, without a restart', true, true, false],
    ] as const) {
      test(`${server}: events around a change by ${name} have their definition when ${what}`, async () => {
        const scene = await sceneOf(await use(), TABLE)
        const listed = ['orders', 'done'].map((table) => `${scene.schema}.${table}`).join()
        const more = {
          ...(isListed ? { 'table.include.list': listed } : {}),
          'schema.history.internal.store.only.captured.tables.ddl': String(onlyCaptured),
        }

        const found = await eventsOf(scene, tool, more, restarts)

        const check = await expectedEvents(scene, isListed ? /^orders / : null)
        check(found)
      })
    }
  }
}
