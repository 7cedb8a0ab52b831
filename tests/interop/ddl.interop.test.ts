/**
 * Tables are created, altered, renamed and dropped before each hand-over and between two: the other one reads that from
 * the history.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import { type Database, eventually, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import { FormAudit } from './form-audit.ts'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'
import type { Side } from './side.ts'

const WIDE = `(
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY, note VARCHAR(40) NOT NULL, d DECIMAL(12,3), e ENUM('a','b') DEFAULT 'b', s SET('x','y'),
  b BIT(9), y YEAR, t TIME(3), dt DATETIME(6), ts TIMESTAMP NULL, bl BLOB, f FLOAT, u SMALLINT UNSIGNED DEFAULT 7)`

/** A row in which every column of WIDE has a value. */
function insertInto(table: string, id: number): string {
  return `INSERT INTO ${table} (id, note, d, e, s, b, y, t, dt, ts, bl, f)
    VALUES (${id}, 'row ${id}', ${id}.125, 'a', 'x,y', b'1', 2020, '01:02:03.5', '2020-02-03 04:05:06.7', '2021-01-01 00:00:00', x'00ff', 0.5);`
}

const runs: readonly (readonly [string, () => Promise<Database>, readonly Side[]])[] = [
  ['MySQL', useMySql, ['tributary', 'connect', 'tributary']],
  ['MySQL', useMySql, ['connect', 'tributary', 'connect']],
  ['MariaDB', useMariaDb, ['tributary', 'connect', 'tributary']],
]

for (const [title, open, [first = 'tributary', ...others]] of runs) {
  test(`${title}: statements around each hand-over, ${[first, ...others].join(', then ')}`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([open(), useKafka()])
    await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t) })
    const scenario = new Statements(relay, database)
    await scenario.createWide()

    await relay.begin(first)
    for (const [turn, side] of others.entries()) {
      await scenario.whileRunning(turn)
      await relay.end('stop')
      await scenario.whileNobodyRuns(turn)
      await relay.goOn(side)
      await scenario.changeAll()
    }
    // The other side must know the tables of the last turn, too.
    await relay.end('stop')
    await relay.goOn(others.at(-2) ?? first)
    await scenario.changeAll()
    await relay.change()

    const result = await relay.check(1 + others.length)
    t.diagnostic(JSON.stringify(result))
    assert.equal(result.repeats, 0)
    await scenario.check(others.length)
  })
}

/** Tables besides that of the relay, and what is done to them. */
class Statements {
  readonly #relay: Relay
  readonly #database: Database
  /** Those that are there. */
  readonly #tables: string[] = []
  #id = 0

  constructor(relay: Relay, database: Database) {
    this.#relay = relay
    this.#database = database
  }

  async createWide(): Promise<void> {
    await this.#query(`CREATE TABLE wide ${WIDE}; ${this.#insert('wide')}`)
    await this.#add('wide')
  }

  async whileRunning(turn: number): Promise<void> {
    await this.#relay.createTopic(`moved${turn}`)
    await this.#query(`
      ALTER TABLE items ADD COLUMN extra${turn} INT NOT NULL DEFAULT ${turn} FIRST;
      CREATE TABLE late${turn} LIKE wide; ${this.#insert(`late${turn}`)}
      RENAME TABLE late${turn} TO moved${turn}; ${this.#insert(`moved${turn}`)}
      CREATE TABLE gone${turn} (id INT PRIMARY KEY); INSERT INTO gone${turn} VALUES (1); DROP TABLE gone${turn};
      ALTER TABLE wide ADD COLUMN c${turn} VARCHAR(20) DEFAULT 'x' AFTER id, MODIFY d DECIMAL(14,${turn + 3}); ${this.#insert('wide')}`)
    this.#tables.push(`moved${turn}`)
  }

  async whileNobodyRuns(turn: number): Promise<void> {
    await this.#query(`
      ALTER TABLE moved${turn} ADD COLUMN idle INT, CHANGE u v INT UNSIGNED DEFAULT 8; ${this.#insert(`moved${turn}`)}
      ALTER TABLE wide DROP COLUMN c${turn}, ADD COLUMN g${turn} DOUBLE FIRST; ${this.#insert('wide')}
      ALTER TABLE wide MODIFY e ENUM('a','b','c${turn}');`)
  }

  async changeAll(): Promise<void> {
    for (const table of this.#tables) await this.#query(`${this.#insert(table)} UPDATE ${table} SET s = 'y', bl = NULL`)
  }

  async #add(table: string): Promise<void> {
    await this.#relay.createTopic(table)
    this.#tables.push(table)
  }

  #insert(table: string): string {
    this.#id += 1
    return insertInto(table, this.#id)
  }

  async #query(sql: string): Promise<void> {
    await this.#database.query(`USE ${this.#relay.name}; ${sql}`)
  }

  /** The last event of each row is the row, with the columns that the table has now; all are of one form. */
  async check(turns: number): Promise<void> {
    for (const table of this.#tables) {
      const rows = await this.#database.query(`SELECT id, note, s FROM ${this.#relay.name}.${table} ORDER BY id`)
      const columns = await this.#database.query(`SHOW COLUMNS FROM ${this.#relay.name}.${table}`)
      const records = await eventually(
        `the topic of ${table} has the rows of the table`,
        async () => {
          const read = await this.#relay.read(table)
          return JSON.stringify(lastRows(read)) === JSON.stringify(rows) && read
        },
        { timeoutMs: 120_000 },
      )
      const forms = new FormAudit()
      for (const record of records) forms.add(record)
      forms.finish({ partitions: 2, versions: table === 'wide' ? 1 + 3 * turns : 2 })
      // Ids grow: this row is the last one, whatever its partition.
      const newest = Math.max(...records.map((record) => afterOf(record)?.id ?? 0))
      assert.deepEqual(
        Object.keys(afterOf(records.findLast((record) => afterOf(record)?.id === newest)) ?? {}),
        columns.map((column) => column['Field']),
      )
    }
  }
}

type Values = Readonly<Record<string, unknown>> & { readonly id: number }

function afterOf(record: LogRecord | undefined): Values | null {
  const document = JSON.parse(record?.value?.toString() ?? 'null') as { payload: { after: Values | null } } | null
  return document?.payload.after ?? null
}

function lastRows(records: readonly LogRecord[]): readonly unknown[] {
  const last = new Map<number, unknown>()
  for (const record of records) {
    const after = afterOf(record)
    if (after !== null) last.set(after.id, { id: after.id, note: after['note'], s: after['s'] })
  }
  return [...last].toSorted(([a], [b]) => a - b).map(([, row]) => row)
}
