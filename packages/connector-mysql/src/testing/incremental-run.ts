import { Struct, type OffsetDocument, type SourceRecord } from '@tributary/connect-api'
import type { Database, SeededRandom } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from './task-run.ts'

/** What a run of random writers beside an incremental snapshot showed. */
export interface IncrementalFigures {
  readonly rows: number
  readonly snapshotRows: number
  readonly changes: number
  readonly kills: number
  /** Records that a task repeated after it was killed. */
  readonly repeated: number
}

export interface IncrementalRunOptions {
  readonly random: SeededRandom
  readonly rows: number
  readonly kills: number
  /** Columns are added while the rows are copied. */
  readonly alters?: boolean
  /** The connections of the task are killed now and then. */
  readonly cuts?: boolean
  /** The task may write into the signal table, and marks windows there. */
  readonly marks?: boolean
  /** `type` of the signal, or an initial snapshot without a lock. Default: incremental. */
  readonly type?: CopyType
  /** Kills at these parts of the rows that are to be copied, instead of at random. */
  readonly killsAt?: readonly number[]
  readonly more?: Readonly<Record<string, string>>
}

const CHANGES_MIN = 30

type CopyType = 'incremental' | 'blocking' | 'initial'

const TABLES = ['by_number', 'by_text', 'by_pair', 'by_unique', 'by_message_key'] as const
type TableName = (typeof TABLES)[number]

const DEFINITIONS: Readonly<Record<TableName, string>> = {
  by_number: 'id INT PRIMARY KEY, v INT',
  by_text: 'id VARCHAR(20) CHARACTER SET utf8mb4 PRIMARY KEY, v INT',
  by_pair: 'a VARCHAR(5) CHARACTER SET latin1, id INT, v INT, PRIMARY KEY (a, id)',
  by_unique: 'id DECIMAL(10,2) NOT NULL, v INT, UNIQUE KEY u (id)',
  by_message_key: 'id INT PRIMARY KEY, v INT',
}

/** The columns of the key, by their numbers. */
const KEYS: Readonly<Record<TableName, readonly number[]>> = {
  by_number: [0],
  by_text: [0],
  by_pair: [0, 1],
  by_unique: [0],
  by_message_key: [0],
}

function keyOf(table: TableName, n: number): string {
  switch (table) {
    case 'by_text':
      return `'k${['ä', 'B', 'z', 'ß'][n % 4] ?? ''}${n}'`
    case 'by_pair':
      return `'${['x', 'ü', 'Z'][n % 3] ?? ''}', ${n}`
    case 'by_unique':
      return `${n}.25`
    case 'by_number':
    case 'by_message_key':
      return String(n)
  }
}

function isKey(table: TableName, n: number): string {
  return table === 'by_pair' ? `(a, id) = (${keyOf(table, n)})` : `id = ${keyOf(table, n)}`
}

/**
 * Copies tables by a signal while sessions insert, update and delete rows of them, and kills the task now and then: it
 * continues from the offset of any record. Checks each record of a copied row against the changes of the stream before
 * it, and in the end all tables against SELECT.
 */
export async function runIncremental(database: Database, options: IncrementalRunOptions): Promise<IncrementalFigures> {
  const { random, rows, alters = false, cuts = false, marks = false, type = 'incremental' } = options
  const scene = await filledScene(database, rows)
  const { schema } = scene
  const collections = `${type === 'blocking' ? type : 'incremental'}_snapshot_collections`
  const more = propertiesOf(schema, options)
  const topic = new TopicModel(type)
  const writers = new AbortController()
  if (marks) await database.query(`GRANT INSERT, DELETE, SELECT ON ${schema}.* TO 'debezium'@'%'`)
  const writing = Promise.all([
    ...[0, 1, 2].map(() => write(scene, random, writers.signal, { rows, alters })),
    ...(cuts ? [cutConnections(scene, random, writers.signal)] : []),
  ])
  let stored: OffsetDocument | null = null
  let kills = 0
  let repeated = 0
  let isDone = false
  try {
    while (!isDone) {
      await using run = await TaskRun.start(scene, more, stored)
      const offsets: SourceRecord['sourceOffset'][] = []
      run.onRecord = (record) => {
        offsets.push(record.sourceOffset)
        topic.add(record)
      }
      await run.until(isStreaming)
      if (stored === null) {
        if (type !== 'initial') await sendSignal(scene, type)
        await run.until(() => run.stored?.[collections] !== undefined)
      }
      const complete = (): boolean => run.logger.matching(END[type]).length > 0
      if (kills < options.kills) {
        const enough = random.integer(50, 400)
        const part = options.killsAt?.[kills]
        const isTime = (): boolean =>
          part === undefined ? offsets.length >= enough : topic.snapshotRows >= part * rows * TABLES.length
        await run.until(() => isTime() || complete())
        if (!complete()) {
          // Of what was sent, any part may be acknowledged.
          const kept = random.integer(Math.max(0, offsets.length - 200), offsets.length)
          stored = offsets[kept]?.toDocument() ?? stored
          // Not before the signal was handled.
          if (kills > 0 || stored?.[collections] !== undefined) {
            repeated += offsets.length - kept - 1
          } else stored = run.stored
          kills += 1
          continue
        }
      }
      // On a busy machine the copy may end before the writers have done much.
      await run.until(() => complete() && topic.changes >= CHANGES_MIN)
      writers.abort()
      await writing
      await database.query(`INSERT INTO ${schema}.ending VALUES (1)`)
      await run.until(() => run.events.some(({ table }) => table === 'ending'))
      isDone = true
    }
  } finally {
    writers.abort()
    await writing
  }
  for (const table of TABLES) await compare(scene, table, topic)
  const { snapshotRows, changes } = topic
  return { rows: rows * TABLES.length, snapshotRows, changes, kills, repeated }
}

function propertiesOf(
  schema: string,
  { random, marks = false, type, more }: IncrementalRunOptions,
): Readonly<Record<string, string>> {
  return {
    ...(type === 'initial'
      ? { 'snapshot.locking.mode': 'none' }
      : { 'snapshot.mode': 'no_data', 'signal.data.collection': `${schema}.signals` }),
    'incremental.snapshot.chunk.size': String(random.integer(1, 40)),
    'message.key.columns': `${schema}.by_message_key:v`,
    'poll.interval.ms': '20',
    'read.only': String(!marks),
    ...more,
  }
}

async function sendSignal({ database, schema }: Scene, type: CopyType): Promise<void> {
  const data = JSON.stringify({ 'data-collections': [`${schema}.by_.*`], type })
  await database.query(`INSERT INTO ${schema}.signals VALUES ('s', 'execute-snapshot', '${data}')`)
}

const END = {
  incremental: /^The incremental snapshot is complete/,
  blocking: /^The blocking snapshot of .* is complete/,
  initial: /^The incremental snapshot is complete/,
} as const

async function filledScene(database: Database, rows: number): Promise<Scene> {
  const tables = TABLES.map((name) => `CREATE TABLE ${name} (${DEFINITIONS[name]})`)
  const scene = await sceneOf(
    database,
    `CREATE TABLE signals (id VARCHAR(64) PRIMARY KEY, type VARCHAR(32), data TEXT); ${tables.join('; ')};
     CREATE TABLE ending (id INT PRIMARY KEY)`,
  )
  for (const table of TABLES) {
    const values = Array.from({ length: rows }, (_, i) => `(${keyOf(table, i * 2)}, ${i})`)
    await database.query(`INSERT INTO ${scene.schema}.${table} VALUES ${values.join(', ')}`)
  }
  return scene
}

/** The topics of a run. */
class TopicModel {
  snapshotRows = 0
  changes = 0
  /** By table and key, the last state; null: deleted. */
  readonly #rows = new Map<string, readonly string[] | null>()
  readonly #type: CopyType

  constructor(type: CopyType) {
    this.#type = type
  }

  add({ value, topic }: SourceRecord): void {
    const table = topic.split('.').at(-1) as TableName
    if (!(value instanceof Struct) || !TABLES.includes(table)) return
    const [op, before, after] = ['op', 'before', 'after'].map((name) => value.get(name))
    const [was, is] = [before, after].map((image) =>
      image instanceof Struct ? image.schema.fields.map(({ index }) => textOf(image.at(index))) : null,
    )
    if (op === 'r') {
      this.snapshotRows += 1
      assert.ok(is)
      const known = this.#rows.get(nameOf(table, is))
      // The stream is never ahead of a copied row, and never later than it. A column that was added since has no event.
      // Rows of a blocking snapshot may be newer: the changes between follow.
      if (known !== undefined && this.#type !== 'blocking') {
        assert.ok(known !== null, `a copied row of ${nameOf(table, is)} was deleted before`)
        assert.deepEqual(is.slice(0, known.length), known, `${nameOf(table, is)} is not the row of the stream`)
      }
    } else this.changes += 1
    if (was) this.#rows.set(nameOf(table, was), null)
    if (is) this.#rows.set(nameOf(table, is), is)
  }

  /** By key. */
  rowsOf(table: TableName): ReadonlyMap<string, readonly string[]> {
    const rows = [...this.#rows].filter(([name]) => name.startsWith(`${table} `))
    return new Map(rows.flatMap(([name, row]) => (row === null ? [] : [[name, row] as const])))
  }
}

async function compare({ database, schema }: Scene, table: TableName, topic: TopicModel): Promise<void> {
  const selected = await database.query(`SELECT * FROM ${schema}.${table}`)
  const found = topic.rowsOf(table)
  const expected = selected.map((row) => {
    const values = Object.values(row).map((value) => (value === null ? 'null' : String(value as string | number)))
    const name = nameOf(table, values)
    // Columns that were added after the last event of the row are not in it.
    return [name, values.slice(0, found.get(name)?.length)] as const
  })
  assert.deepEqual(found, new Map(expected), table)
}

function nameOf(table: TableName, row: readonly string[]): string {
  return `${table} ${KEYS[table].map((i) => row[i]).join(' ')}`
}

async function write(
  { database, schema }: Scene,
  random: SeededRandom,
  signal: AbortSignal,
  { rows, alters }: { readonly rows: number; readonly alters: boolean },
): Promise<void> {
  const connection = await database.connect()
  let added = 0
  try {
    while (!signal.aborted) {
      const statements: string[] = []
      for (let i = random.integer(1, 5); i > 0; i--) statements.push(change(schema, random, rows))
      const isRolledBack = random() < 0.1
      try {
        await connection.query('BEGIN')
        for (const sql of statements) await connection.query(sql)
        await connection.query(isRolledBack ? 'ROLLBACK' : 'COMMIT')
        if (alters && random() < 0.02 && added < 3) {
          added += 1
          const column = `c${random.integer(0, 1_000_000)}`
          await connection.query(
            `ALTER TABLE ${schema}.${random.pick(TABLES)} ADD COLUMN ${column} INT DEFAULT ${added}`,
          )
        }
      } catch (error) {
        // A deadlock, or a duplicate key.
        if (!(error instanceof Error) || !/Deadlock|Duplicate|Lock wait|Record has changed/i.test(error.message))
          throw error
        await connection.query('ROLLBACK')
      }
      await setTimeout(random.integer(0, 6))
    }
  } finally {
    await connection.end()
  }
}

function change(schema: string, random: SeededRandom, rows: number): string {
  const table = random.pick(TABLES)
  const n = random.integer(0, rows * 2)
  const v = random.integer(0, 1_000_000)
  const name = `${schema}.${table}`
  const columns = table === 'by_pair' ? '(a, id, v)' : '(id, v)'
  switch (random.integer(0, 5)) {
    case 0:
      return `DELETE FROM ${name} WHERE ${isKey(table, n)}`
    case 1:
      return `INSERT IGNORE INTO ${name} ${columns} VALUES (${keyOf(table, n)}, ${v})`
    case 2:
      return `UPDATE IGNORE ${name} SET ${table === 'by_pair' ? `id = ${v}` : `id = ${keyOf(table, random.integer(0, rows * 2))}`} WHERE ${isKey(table, n)}`
    default:
      return `UPDATE ${name} SET v = ${v} WHERE ${isKey(table, n)}`
  }
}

/** Kills all sessions of the account of connectors, as a proxy or an operator does. */
async function cutConnections({ database }: Scene, random: SeededRandom, signal: AbortSignal): Promise<void> {
  // On a busy machine more would keep a task from any progress.
  for (let cut = 0; cut < CUTS_MAX && !signal.aborted; cut++) {
    await setTimeout(random.integer(50, 300))
    const sessions = await database.query("SELECT id FROM information_schema.processlist WHERE user = 'debezium'")
    for (const session of sessions) {
      // It may have ended meanwhile.
      await database.query(`KILL ${Object.values(session).join('')}`).catch(() => undefined)
    }
  }
}

const CUTS_MAX = 15
