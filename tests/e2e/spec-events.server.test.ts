/**
 * Record format v1, field by field, as docs/reference/record-format-v1.md specifies it: names, order, types, optionality,
 * schema names and versions, null values. File, position, GTID, thread and time of a change are read from the server.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  casesOfTier,
  connectorConfig,
  type Database,
  startMySql,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import type { LogRecord } from '@tributary/kafka'

interface Case {
  readonly server: string
  readonly open: (resources: AsyncDisposableStack) => Promise<Database>
  /** The name of the source struct's schema. */
  readonly sourceName: string
  /** MariaDB 10.11 writes no thread id for transactions of rows. */
  readonly hasThreadId: boolean
}

const MYSQL = { sourceName: 'io.debezium.connector.mysql.Source', hasThreadId: true }
const cases: readonly Case[] = [
  { server: 'MySQL', open: useMySql, ...MYSQL },
  {
    server: 'MySQL with GTIDs and full row metadata',
    open: async (resources) => resources.use(await startMySql({ gtid: true, rowMetadata: 'FULL' })),
    ...MYSQL,
  },
  { server: 'MariaDB', open: useMariaDb, sourceName: 'io.debezium.connector.mariadb.Source', hasThreadId: false },
]

/** The key document. The members of a schema are in the order in which Connect's JSON converter writes them. */
function keyDocument(table: string, id: number): string {
  return JSON.stringify({
    schema: {
      type: 'struct',
      fields: [{ type: 'int32', optional: false, field: 'id' }],
      optional: false,
      name: `${table}.Key`,
    },
    payload: { id },
  })
}

/** The schema of the value document, with the fields of the envelope. */
function envelopeSchema(table: string, sourceName: string): unknown {
  return {
    type: 'struct',
    fields: [
      { ...rowSchema(table), field: 'before' },
      { ...rowSchema(table), field: 'after' },
      { ...sourceSchema(sourceName), field: 'source' },
      { type: 'string', optional: false, field: 'op' },
      { type: 'int64', optional: true, field: 'ts_ms' },
      { type: 'int64', optional: true, field: 'ts_us' },
      { type: 'int64', optional: true, field: 'ts_ns' },
    ],
    optional: false,
    name: `${table}.Envelope`,
    version: 1,
  }
}

/** The `.Value` struct has one field per column: in the sample table int32 and string columns, none optional. */
function rowSchema(table: string): object {
  return {
    type: 'struct',
    fields: [
      { type: 'int32', optional: false, field: 'id' },
      { type: 'string', optional: false, field: 'first_name' },
      { type: 'string', optional: false, field: 'last_name' },
      { type: 'string', optional: false, field: 'email' },
    ],
    optional: true,
    name: `${table}.Value`,
  }
}

/** The fields of the source struct. */
function sourceSchema(name: string): object {
  return {
    type: 'struct',
    fields: [
      { type: 'string', optional: true, field: 'version' },
      { type: 'string', optional: false, field: 'name' },
      { type: 'int64', optional: false, field: 'server_id' },
      { type: 'int64', optional: false, field: 'ts_sec' },
      { type: 'string', optional: true, field: 'gtid' },
      { type: 'string', optional: false, field: 'file' },
      { type: 'int64', optional: false, field: 'pos' },
      { type: 'int32', optional: false, field: 'row' },
      { type: 'boolean', optional: true, field: 'snapshot' },
      { type: 'int64', optional: true, field: 'thread' },
      { type: 'string', optional: true, field: 'db' },
      { type: 'string', optional: true, field: 'table' },
    ],
    optional: false,
    name,
  }
}

type RowChange =
  | { readonly op: 'tombstone'; readonly id: number }
  | {
      readonly op: 'r' | 'c' | 'u' | 'd'
      readonly id: number
      readonly before: object | null
      readonly after: object | null
      readonly source: object
    }

/** The position of a change, as the server reports it. */
interface Place {
  readonly gtid: string | null
  readonly file: string
  readonly pos: number
}

interface SourceParts extends Place {
  readonly server_id: number
  readonly ts_sec: number
  readonly row: number
  readonly snapshot: true | null
  readonly thread: number | null
}

/** Time of the changes in seconds, which the test sets with SET timestamp. */
const CHANGED_AT = 1_700_000_000

const SALLY = { id: 1001, first_name: 'Sally', last_name: 'Thomas', email: 'sally.thomas@acme.com' }
const ANNE = { id: 1004, first_name: 'Anne', last_name: 'Kretchmar', email: 'annek@noanswer.org' }
const ANNE_MARIE = { ...ANNE, first_name: 'Anne Marie' }
const KEN = { id: 1005, first_name: 'Ken', last_name: 'Größe', email: '' }

for (const { server, open, sourceName, hasThreadId } of casesOfTier('events of the specification', cases)) {
  test(`${server}: every event has the record format v1, field by field`, async () => {
    await using resources = new AsyncDisposableStack()
    const database = await open(resources)
    const { bootstrapServers } = await useKafka()
    const prefix = uniqueName('spec')
    const table = `${prefix}.${prefix}.customers`
    await createCustomers(database, prefix)
    const start = await currentPlace(database)
    const service = resources.use(await startService({ bootstrapServers }))
    const begunMs = Date.now()
    await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: prefix }))
    await waitForRecords(bootstrapServers, table, 1)
    const afterSnapshot = await currentPlace(database)
    await changeCustomers(database, prefix)
    const records = await waitForRecords(bootstrapServers, table, 6)
    const endedMs = Date.now()

    const [ids] = await database.query('SELECT @@server_id AS server, CONNECTION_ID() AS thread')
    const thread = hasThreadId ? Number(ids?.['thread']) : null
    const [inserted, updated, deleted] = await changesOf(database, prefix, afterSnapshot)
    assert.ok(inserted !== undefined && updated !== undefined && deleted !== undefined)
    const names = { version: await connectorVersion(service.url, sourceName), name: prefix }
    const snapshotPlace = placeOf(records[0])
    const ofSnapshot = { server_id: 0, ts_sec: 0, gtid: null, row: 0, snapshot: true, thread: null } as const
    const snapshot = sourceOf(names, { ...ofSnapshot, ...snapshotPlace })
    const ofStream = { server_id: Number(ids?.['server']), ts_sec: CHANGED_AT, snapshot: null, thread }
    const streamed = (place: Place, row: number): object => sourceOf(names, { ...ofStream, ...place, row })
    const expected: readonly RowChange[] = [
      { op: 'r', id: 1001, before: null, after: SALLY, source: snapshot },
      { op: 'c', id: 1004, before: null, after: ANNE, source: streamed(inserted, 0) },
      { op: 'c', id: 1005, before: null, after: KEN, source: streamed(inserted, 1) },
      { op: 'u', id: 1004, before: ANNE, after: ANNE_MARIE, source: streamed(updated, 0) },
      { op: 'd', id: 1004, before: ANNE_MARIE, after: null, source: streamed(deleted, 0) },
      { op: 'tombstone', id: 1004 },
    ]
    assertRecords(records, expected, { table, schema: envelopeSchema(table, sourceName) })
    // The snapshot's position is the one that the server had in step 4.
    assert.ok(comparePlaces(start, snapshotPlace) <= 0 && comparePlaces(snapshotPlace, afterSnapshot) <= 0)
    assertProcessingTimes(records, begunMs, endedMs)
  })
}

async function createCustomers(database: Database, schema: string): Promise<void> {
  await database.query(`
    CREATE DATABASE ${schema};
    CREATE TABLE ${schema}.customers (
      id INTEGER NOT NULL AUTO_INCREMENT PRIMARY KEY,
      first_name VARCHAR(255) NOT NULL, last_name VARCHAR(255) NOT NULL, email VARCHAR(255) NOT NULL UNIQUE KEY);
    INSERT INTO ${schema}.customers VALUES (1001, 'Sally', 'Thomas', 'sally.thomas@acme.com')`)
}

async function changeCustomers(database: Database, schema: string): Promise<void> {
  await database.query(`SET timestamp = ${CHANGED_AT}`)
  await database.query(`INSERT INTO ${schema}.customers VALUES
    (1004, 'Anne', 'Kretchmar', 'annek@noanswer.org'), (1005, 'Ken', 'Größe', '')`)
  await database.query(`UPDATE ${schema}.customers SET first_name = 'Anne Marie' WHERE id = 1004`)
  await database.query(`DELETE FROM ${schema}.customers WHERE id = 1004`)
  await database.query('SET timestamp = DEFAULT')
}

/** The source struct with its members in the order of the schema. */
function sourceOf(names: { version: string; name: string }, parts: SourceParts): object {
  const { server_id, ts_sec, gtid, file, pos, row, snapshot, thread } = parts
  const change = { server_id, ts_sec, gtid, file, pos, row, snapshot, thread }
  return { ...names, ...change, db: names.name, table: 'customers' }
}

function assertRecords(
  records: readonly LogRecord[],
  expected: readonly RowChange[],
  { table, schema }: { readonly table: string; readonly schema: unknown },
): void {
  assert.equal(records.length, expected.length)
  for (const [i, change] of expected.entries()) {
    const record = records[i]
    assert.ok(record !== undefined)
    assert.equal(record.key?.toString(), keyDocument(table, change.id))
    const actual = withoutTimes(record)
    const wanted = change.op === 'tombstone' ? null : valueText(schema, change)
    // Compare documents first, for a message that names the difference, then texts, which also have an order.
    assert.deepEqual(JSON.parse(actual ?? 'null'), JSON.parse(wanted ?? 'null'))
    assert.equal(actual, wanted)
  }
}

function valueText(schema: unknown, { op, before, after, source }: Exclude<RowChange, { op: 'tombstone' }>): string {
  return JSON.stringify({ schema, payload: { before, after, source, op, ts_ms: 0, ts_us: 0, ts_ns: 0 } })
}

const TIMES = /"ts_ms":(\d+),"ts_us":(\d+),"ts_ns":(\d+)\}\}$/

/** The text of the value with its three times replaced by 0. */
function withoutTimes({ value }: LogRecord): string | null {
  return value === null ? null : value.toString().replace(TIMES, '"ts_ms":0,"ts_us":0,"ts_ns":0}}')
}

/** The times when the task processed the event: one instant in three units. */
function assertProcessingTimes(records: readonly LogRecord[], fromMs: number, untilMs: number): void {
  for (const { value } of records) {
    if (value === null) continue
    const [, millis = '', micros = '', nanos = ''] = TIMES.exec(value.toString()) ?? []
    assert.ok(Number(millis) >= fromMs && Number(millis) <= untilMs, `${millis} is in ${fromMs} to ${untilMs}`)
    assert.equal(BigInt(micros) / 1000n, BigInt(millis))
    assert.equal(BigInt(nanos) / 1000n, BigInt(micros))
  }
}

interface FilePosition {
  readonly file: string
  readonly pos: number
}

function placeOf(record: LogRecord | undefined): FilePosition {
  const { payload } = JSON.parse(record?.value?.toString() ?? '') as { payload: { source: FilePosition } }
  return { file: payload.source.file, pos: payload.source.pos }
}

function comparePlaces(a: FilePosition, b: FilePosition): number {
  return a.file === b.file ? a.pos - b.pos : a.file < b.file ? -1 : 1
}

async function currentPlace(database: Database): Promise<FilePosition> {
  const statement = database.flavor === 'mariadb' ? 'SHOW MASTER STATUS' : 'SHOW BINARY LOG STATUS'
  const [row] = await database.query(statement)
  return { file: String(row?.['File']), pos: Number(row?.['Position']) }
}

/** File, position and GTID of the row events of a database, as the server's SHOW BINLOG EVENTS lists them. */
async function changesOf(database: Database, schema: string, from: FilePosition): Promise<Place[]> {
  const rows = await database.query(`SHOW BINLOG EVENTS IN '${from.file}' FROM ${from.pos}`)
  const places: Place[] = []
  let gtid: string | null = null
  let isOurs = false
  for (const row of rows) {
    const type = String(row['Event_type'])
    const info = String(row['Info'])
    if (/gtid/i.test(type)) gtid = /'([^']+:\d+)'|GTID ([\d-]+)/.exec(info)?.slice(1).find(Boolean) ?? null
    else if (type === 'Table_map') isOurs = info.includes(`(${schema}.customers)`)
    else if (isOurs && /^(Write|Update|Delete)_rows/.test(type))
      places.push({ gtid, file: from.file, pos: Number(row['Pos']) })
  }
  return places
}

/** The version that the runtime lists for the connector; each event carries it in source.version. */
async function connectorVersion(url: string, sourceName: string): Promise<string> {
  const answer = await fetch(`${url}/connector-plugins`)
  const plugins = (await answer.json()) as { class: string; version: string }[]
  const flavor = sourceName.split('.')[3] ?? ''
  const plugin = plugins.find((each) => each.class.startsWith(`io.debezium.connector.${flavor}.`))
  assert.ok(plugin !== undefined)
  return plugin.version
}
