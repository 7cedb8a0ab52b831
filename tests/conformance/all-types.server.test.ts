/**
 * Every column type of both servers, in a snapshot, in inserts, before and after updates, in deletions and as defaults of
 * schemas: each value equals what the server's own SELECT returns, and no column is missing. Prints the numbers.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import {
  connectorConfig,
  type Database,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { type ExactJson, member, parseExactJson } from './exact-json.ts'
import { createFamilies } from './create-families.ts'
import { type DefaultCase, defaultCases } from './default-cases.ts'
import {
  expression,
  recordText,
  rowDifferences,
  rowFields,
  selectTexts,
  type ServerValue,
  serverText,
} from './server-text.ts'
import type { TypeFamily } from './type-family.ts'
import { typeFamilies } from './type-values.ts'

/** Added to the ids of rows that are copied. */
const COPY = 1000

type Session = Awaited<ReturnType<Database['connect']>>

/** What was compared. */
interface Tally {
  cells: number
  readonly differences: string[]
  readonly missing: string[]
}

for (const [server, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${server}: every type in every operation equals SELECT`, { timeout: 300_000 }, async (t) => {
    const database = await use()
    const { bootstrapServers } = await useKafka()
    await using service = await startService({ bootstrapServers })
    const schema = uniqueName('alltypes')
    const families = typeFamilies(database.flavor)
    const defaults = defaultCases(database.flavor)
    const rowCounts = await createFamilies(database, schema, families)
    await createDefaults(database, schema, 'early', defaults)
    const more = { 'bigint.unsigned.handling.mode': 'precise', 'enable.time.adjuster': 'false' }
    await service.register(
      schema,
      connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more }),
    )
    const read = (table: string, count: number): Promise<readonly LogRecord[]> =>
      waitForRecords(bootstrapServers, `${schema}.${schema}.${table}`, count)
    for (const family of families) await read(family.name, rowCounts.get(family) ?? 0)
    await read('early', 1)

    for (const family of families) await changeRows(database, schema, family, rowCounts.get(family) ?? 0)
    await createDefaults(database, schema, 'late', defaults)

    const tally: Tally = { cells: 0, differences: [], missing: [] }
    const session = await database.connect()
    try {
      for (const family of families) {
        const count = rowCounts.get(family) ?? 0
        // Each deletion is followed by a tombstone.
        const records = await read(family.name, count * 5)
        compareFamily(tally, { family, count, records, selected: await selectTexts(session, schema, family.name) })
      }
      for (const table of ['early', 'late']) {
        const [record] = await read(table, 1)
        await compareDefaults(tally, { session, schema, table, defaults, flavor: database.flavor, record })
      }
    } finally {
      session.destroy()
    }
    t.diagnostic(
      `${server}: ${families.flatMap(({ types }) => types).length} columns, ${tally.cells} cells compared, ${tally.differences.length} different, ${tally.missing.length} columns left out`,
    )
    assert.deepEqual(tally.differences.slice(0, 20), [])
    assert.deepEqual(tally.missing, [])
  })
}

/** Copies the rows, changes each copy to the row after its original, and deletes the copies. */
async function changeRows(
  database: Database,
  schema: string,
  { name, types }: TypeFamily,
  count: number,
): Promise<void> {
  const columns = types.map((_, i) => `c${i}`)
  const table = `${schema}.${name}`
  await database.query(`SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00';
    INSERT INTO ${table} (id, ${columns.join(', ')}) SELECT id + ${COPY}, ${columns.join(', ')} FROM ${table} ORDER BY id;
    UPDATE ${table} AS d JOIN ${table} AS s ON s.id = (d.id - ${COPY}) % ${count} + 1
      SET ${columns.map((column) => `d.${column} = s.${column}`).join(', ')}, d.changed = 1 WHERE d.id > ${COPY};
    DELETE FROM ${table} WHERE id > ${COPY}`)
}

interface FamilyRecords {
  readonly family: TypeFamily
  /** Of rows before anything was changed. */
  readonly count: number
  readonly records: readonly LogRecord[]
  readonly selected: readonly (readonly ServerValue[])[]
}

function compareFamily(tally: Tally, { family, count, records, selected }: FamilyRecords): void {
  const rows = new Map(selected.map((row) => [Number(row[0]?.text), row.slice(2)]))
  const images: Record<string, number> = {}
  for (const { value } of records) {
    if (value === null) continue
    const document = parseExactJson(value.toString())
    const payload = member(document, 'payload')
    const op = textOf(member(payload, 'op'))
    for (const side of ['before', 'after'] as const) {
      const image = member(payload, side) ?? null
      if (image === null) continue
      images[`${op} ${side}`] = (images[`${op} ${side}`] ?? 0) + 1
      const id = Number(recordText(undefined, member(image, 'id') ?? null)) % COPY
      const isChanged = op === 'd' || (op === 'u' && side === 'after')
      const expected = rows.get(isChanged ? (id % count) + 1 : id) ?? []
      const fields = rowFields(document, side)
      tally.missing.push(
        ...expected.filter(({ column }) => !fields.has(column)).map(({ column }) => `${family.name}.${column}`),
      )
      tally.cells += expected.length
      const found = rowDifferences(image, fields, expected)
      tally.differences.push(...found.map((text) => `${family.name} ${op} ${side} ${id}: ${text}`.slice(0, 300)))
    }
  }
  const each = { 'r after': count, 'c after': count, 'u before': count, 'u after': count, 'd before': count }
  assert.deepEqual(images, each, family.name)
}

async function createDefaults(
  database: Database,
  schema: string,
  table: string,
  defaults: readonly DefaultCase[],
): Promise<void> {
  const columns = defaults.map(({ type, value }, i) => `c${i} ${type} DEFAULT ${value}`)
  await database.query(`USE ${schema}; SET sql_mode = '', time_zone = '+00:00';
    CREATE TABLE ${table} (id INT PRIMARY KEY, ${columns.join(', ')}); INSERT INTO ${table} (id) VALUES (1)`)
}

interface DefaultRecord {
  readonly session: Session
  readonly schema: string
  readonly table: string
  readonly defaults: readonly DefaultCase[]
  readonly flavor: 'mysql' | 'mariadb'
  readonly record: LogRecord | undefined
}

/** The defaults of the schema are those of the server's function DEFAULT, and the values of the row are its defaults. */
async function compareDefaults(tally: Tally, compared: DefaultRecord): Promise<void> {
  const { session, schema, table, defaults, flavor, record } = compared
  const document = parseExactJson(record?.value?.toString() ?? 'null')
  const fields = rowFields(document, 'after')
  const [selected = []] = await selectTexts(session, schema, table)
  const values = selected.slice(1)
  const found = rowDifferences(member(member(document, 'payload'), 'after'), fields, values)
  tally.differences.push(...found.map((text) => `${table}: ${text}`))
  tally.cells += values.length
  for (const [i, { value, inSchema }] of defaults.entries()) {
    const column = values[i]
    assert.ok(column !== undefined)
    const field = fields.get(column.column)
    if (field === undefined) tally.missing.push(`${table}.${column.column}`)
    const ours = member(field, 'default')
    const text = ours === undefined ? 'none' : recordText(field, ours)
    const expected = inSchema ? await defaultText({ session, schema, table, flavor }, column) : 'none'
    tally.cells += 1
    if (text !== expected)
      tally.differences.push(`${table}.${column.column} DEFAULT ${value}: ${text}, server ${expected}`)
  }
}

async function defaultText(
  { session, schema, table, flavor }: Pick<DefaultRecord, 'session' | 'schema' | 'table' | 'flavor'>,
  { column, dataType }: ServerValue,
): Promise<string> {
  const sql = `SELECT ${expression(dataType, `DEFAULT(${column})`, flavor === 'mysql')} AS text FROM ${schema}.${table}`
  const [rows] = await session.query({ sql, rowsAsArray: true })
  // Every expression returns a text or a double.
  const [[selected = null] = []] = rows as (string | number | null)[][]
  return serverText({ column, dataType, text: selected === null ? null : String(selected) })
}

function textOf(value: ExactJson | undefined): string {
  return typeof value === 'string' ? value : ''
}
