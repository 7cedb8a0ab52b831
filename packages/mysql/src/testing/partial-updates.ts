import assert from 'node:assert/strict'
import { type Database, type SeededRandom, seededRandom, uniqueName, useMySql } from '@tributary/testkit'
import { endOfBinlog, openBinlog, readEvents } from './live-binlog.ts'
import { randomDocument, randomPath } from './random-json.ts'
import { textTarget } from './text-targets.ts'
import { RowCodec } from '../binlog/row-codec.ts'
import type { RowValue } from '../binlog/row-value.ts'

// Changes of JSON documents that the server logs as differences, compared with the documents that it then selects.

/** Removes the spaces between tokens, independently of the code under test. */
function withoutSpaces(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}

function sqlText(text: string): string {
  return `CONVERT(X'${Buffer.from(text).toString('hex')}' USING utf8mb4)`
}

/** Values that JSON text cannot represent, and texts; paths are of SQL, so their quotes need no escape. */
function sqlValue(random: SeededRandom): string {
  if (random() < 0.25) {
    return random.pick([
      "CAST('1.50' AS DECIMAL(10,2))",
      "TIMESTAMP '2024-02-29 23:59:59.5'",
      "TIME '-12:34:56'",
      "DATE '2024-02-29'",
      "x'00ff10'",
      'NULL',
      '18446744073709551615',
      "'plain text'",
    ])
  }
  return `CAST(${sqlText(JSON.stringify(randomDocument(random, 2)))} AS JSON)`
}

/** An expression that changes a JSON column a few times, in the functions whose changes are logged as differences. */
function changeOf(random: SeededRandom, column: string, document: unknown): string {
  let expression = column
  for (let i = random.integer(1, 4); i > 0; i--) {
    const path = sqlText(randomPath(random, document))
    const name = random.pick(['JSON_SET', 'JSON_REPLACE', 'JSON_REMOVE'])
    if (name !== 'JSON_REMOVE') {
      const more = random() < 0.3 ? `, ${sqlText(randomPath(random, document))}, ${sqlValue(random)}` : ''
      expression = `${name}(${expression}, ${path}, ${sqlValue(random)}${more})`
    } else expression = `JSON_REMOVE(${expression}, ${path})`
  }
  return expression
}

const DOCUMENTS = ['j', 'k', 'l'] as const

/** `id`, three documents and other columns between them, in the order of the table. */
const TARGETS = [
  textTarget('integer'),
  textTarget('json'),
  textTarget('text'),
  textTarget('json'),
  textTarget('integer'),
  textTarget('json'),
  textTarget('text'),
]

type Row = readonly (string | null)[]

const COLUMNS = ['id', 'j', 's', 'k', 'n', 'l', 'g'] as const

/** The rows of a table, in the form of the decoded ones. Sorting large documents takes more memory than the server has. */
async function rowsOf(server: Database, table: string): Promise<readonly Row[]> {
  const columns = COLUMNS.map((name) => `CAST(${name} AS CHAR) AS ${name}`)
  const rows = await server.query(`SELECT ${columns.join(', ')} FROM ${table}`)
  return rows.map((row) => COLUMNS.map((name) => rowText(name, row[name])))
}

function rowText(name: string, value: unknown): string | null {
  if (typeof value !== 'string') return value === null ? null : JSON.stringify(value)
  return DOCUMENTS.some((each) => each === name) ? withoutSpaces(value) : value
}

export interface Change {
  readonly id: string
  readonly before: RowValue<string>[]
  readonly after: RowValue<string>[]
}

/** Makes a table of documents and reads the changes of `update`, which returns how many rows it changed. */
export async function changesOf(
  server: Database,
  { database, table }: { readonly database: string; readonly table: string },
  update: () => Promise<number>,
): Promise<{ readonly changes: readonly Change[]; readonly patchedEvents: number }> {
  await using stream = await openBinlog(server, await endOfBinlog(server))
  const count = await update()
  const changes: Change[] = []
  let patchedEvents = 0
  await readEvents(stream, (event) => {
    if (event.tag !== 'rows' || event.table.database !== database || event.table.table !== table) return false
    const result = RowCodec.compile(event.table, TARGETS)
    assert.ok(result.tag === 'codec')
    const { codec } = result
    patchedEvents += event.isPartial ? 1 : 0
    while (event.hasMore) {
      const before = event.readBefore(codec)
      const after = event.readAfter(codec)
      changes.push({ id: String(before[0]), before, after })
    }
    assert.equal(event.isConsumed, true)
    return changes.length === count
  })
  return { changes, patchedEvents }
}

export const DOCUMENT_TABLE = `(id INT PRIMARY KEY, j JSON, s VARCHAR(20), k JSON, n INT, l JSON INVISIBLE,
  g VARCHAR(40) GENERATED ALWAYS AS (CONCAT('n', n)) STORED)`

async function fill(server: Database, table: string, random: SeededRandom, count: number): Promise<unknown[][]> {
  const documents: unknown[][] = []
  for (let id = 1; id <= count; id++) {
    const row = DOCUMENTS.map(() => (random() < 0.05 ? undefined : randomDocument(random, 4)))
    documents.push(row)
    const [j, k, l] = row.map((each) => (each === undefined ? 'NULL' : sqlText(JSON.stringify(each))))
    await server.query(`INSERT INTO ${table} (id, j, s, k, n, l) VALUES (${id}, ${j}, 's', ${k}, ${id}, ${l})`)
  }
  return documents
}

/**
 * Updates documents at random, and compares the rows of the binlog with those that the server selects after each
 * statement. Returns how many changes it compared.
 */
export async function comparePartialUpdates(seed: number, updates: number): Promise<number> {
  const server = await useMySql()
  const database = uniqueName('partial')
  const table = `${database}.t`
  const random = seededRandom(seed)
  await server.query(
    `CREATE DATABASE ${database}; CREATE TABLE ${table} ${DOCUMENT_TABLE}; CREATE TABLE ${database}.log
      (at INT, id INT, j JSON, s VARCHAR(20), k JSON, n INT, l JSON, g VARCHAR(40), PRIMARY KEY (at, id))`,
  )
  const documents = await fill(server, table, random, 40)
  const states = new Map((await rowsOf(server, table)).map((row) => [row[0], row]))

  const { changes, patchedEvents } = await changesOf(server, { database, table: 't' }, async () => {
    await using session = await server.connect()
    await session.query("SET SESSION binlog_row_value_options = 'PARTIAL_JSON'")
    let count = 0
    for (let i = 0; i < updates; i++) {
      const id = random.integer(1, 41)
      const sets = DOCUMENTS.filter(() => random() < 0.5).map(
        (column, nth) => `${column} = ${changeOf(random, column, documents[id - 1]?.[nth])}`,
      )
      const others = [`n = n + 1`, ...(random() < 0.3 ? [`s = '${random.integer(0, 1000)}'`] : [])]
      const isOfTwo = random() < 0.1
      const where = isOfTwo ? `id IN (${id}, ${(id % 40) + 1})` : `id = ${id}`
      // What the server selects then. A change that it refuses (a path that removes the root) is no change.
      const select = `SELECT ${i}, id, j, s, k, n, l, g FROM ${table} WHERE ${where} ORDER BY id`
      const sql = `UPDATE ${table} SET ${[...sets, ...others].join(', ')} WHERE ${where}; INSERT INTO ${database}.log ${select}`
      count += await session.query(sql).then(
        () => (isOfTwo ? 2 : 1),
        () => 0,
      )
    }
    return count
  })

  const selected = await rowsOf(server, `${database}.log FORCE INDEX (PRIMARY) ORDER BY log.at, log.id`)
  assert.equal(changes.length, selected.length)
  for (const [i, { id, before, after }] of changes.entries()) {
    assert.deepEqual(before, states.get(id))
    assert.deepEqual(after, selected[i])
    states.set(id, after)
  }
  assert.ok(patchedEvents > changes.length / 2, `only ${patchedEvents} of ${changes.length} changes are differences`)
  return changes.length
}
