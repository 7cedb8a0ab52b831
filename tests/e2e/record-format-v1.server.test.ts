/**
 * Headers, schema change records and refused properties of record format v1 (docs/reference/record-format-v1.md). The change
 * events themselves are checked by spec-events.server.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import {
  casesOfTier,
  connectorConfig,
  eventually,
  fullTest,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

/** The fields of the source struct, in their order. */
const SOURCE_FIELDS = 'version name server_id ts_sec gtid file pos row snapshot thread db table'.split(' ')

interface Field {
  readonly field: string
  readonly name?: string
  readonly version?: number
  readonly fields?: readonly Field[]
}

interface Document {
  readonly schema: Field
  readonly payload: {
    readonly source: Readonly<Record<string, unknown>>
    readonly transaction?: unknown
    readonly ddl?: string
  }
}

function documentOf(record: LogRecord | undefined): Document {
  return JSON.parse(record?.value?.toString() ?? '') as Document
}

function headersOf({ headers }: LogRecord): readonly (readonly [string, unknown])[] {
  return headers.map(({ key, value }) => [key.toString(), JSON.parse(value?.toString() ?? 'null')])
}

for (const [flavor, open] of casesOfTier('record format v1', [
  ['mysql', useMySql] as const,
  ['mariadb', useMariaDb] as const,
])) {
  test(`${flavor}: headers of changed keys only, and schema changes with the source struct of v1`, async () => {
    const [database, { bootstrapServers }] = await Promise.all([open(), useKafka()])
    const prefix = uniqueName('beyond')
    await database.query(
      `CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.t (id INT PRIMARY KEY); INSERT INTO ${prefix}.t VALUES (1)`,
    )
    await using service = await startService({ bootstrapServers })
    await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: prefix }))
    await waitForRecords(bootstrapServers, `${prefix}.${prefix}.t`, 1)
    const before = (await waitForRecords(bootstrapServers, prefix, 1)).length
    await database.query(`
      ALTER TABLE ${prefix}.t ADD COLUMN note INT; UPDATE ${prefix}.t SET id = 2; CREATE DATABASE IF NOT EXISTS ${prefix}_x;
      INSERT INTO ${prefix}.t VALUES (3, 3)`)

    // Read, delete of the old key, its tombstone, create of the new one, create.
    const events = await waitForRecords(bootstrapServers, `${prefix}.${prefix}.t`, 5)
    const key = (id: number): unknown => ({ id })
    assert.deepEqual(
      events.map((event) => headersOf(event)),
      [[], [['__debezium.newkey', key(2)]], [['__debezium.newkey', key(2)]], [['__debezium.oldkey', key(1)]], []],
    )

    const statements = (await waitForRecords(bootstrapServers, prefix, before + 1)).map((record) => documentOf(record))
    const altered = statements.find(({ payload }) => payload.ddl?.includes('ADD COLUMN'))
    assert.ok(altered !== undefined)
    for (const { schema, payload } of statements) {
      const source = schema.fields?.find(({ field }) => field === 'source')
      assert.deepEqual(
        [source?.name, source?.version, source?.fields?.map(({ field }) => field)],
        [`io.debezium.connector.${flavor}.Source`, undefined, SOURCE_FIELDS],
      )
      assert.deepEqual(Object.keys(payload.source), SOURCE_FIELDS)
      assert.equal(payload.source['thread'], null)
    }
    assert.deepEqual([altered.payload.source['snapshot'], altered.payload.source['table']], [null, 't'])
    assert.deepEqual([statements[0]?.payload.source['snapshot'], statements[0]?.payload.source['ts_sec']], [true, 0])
  })
}

test('v1 has the block of transaction metadata between source and operation, when it is asked for', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const prefix = uniqueName('txmeta')
  await database.query(`CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.t (id INT PRIMARY KEY)`)
  await using service = await startService({ bootstrapServers })
  const more = { 'provide.transaction.metadata': 'true', 'topic.transaction': 'borders' }
  await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: prefix, more }))
  await waitForRecords(bootstrapServers, prefix, 1)
  await database.query(`INSERT INTO ${prefix}.t VALUES (1), (2)`)

  const [, second] = await waitForRecords(bootstrapServers, `${prefix}.${prefix}.t`, 2)
  const { schema, payload } = documentOf(second)
  assert.deepEqual(
    schema.fields?.map(({ field }) => field),
    ['before', 'after', 'source', 'transaction', 'op', 'ts_ms', 'ts_us', 'ts_ns'],
  )
  const { source, transaction } = payload
  assert.deepEqual(transaction, { id: source['gtid'], total_order: 2, data_collection_order: 2 })

  // Other transactions of the server have their records there, too.
  const ends = await eventually('the end is written', async () => {
    const records = await waitForRecords(bootstrapServers, `${prefix}.borders`, 2)
    const values = records.map((record) => JSON.parse(record.value?.toString() ?? '') as { readonly payload: Payload })
    const own = values.filter(({ payload: { id } }) => id === source['gtid'])
    return own.length === 2 && own
  })
  assert.deepEqual(
    ends.map(({ payload: { status, event_count: count } }) => [status, count]),
    [
      ['BEGIN', null],
      ['END', 2],
    ],
  )
})

interface Payload {
  readonly id: string
  readonly status: string
  readonly event_count: number | null
}

fullTest('v1 has the statement of a row as the last field of its source, when it is asked for', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const prefix = uniqueName('query')
  await database.query(`CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.t (id INT PRIMARY KEY)`)
  await using service = await startService({ bootstrapServers })
  const more = { 'include.query': 'true' }
  await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: prefix, more }))
  await waitForRecords(bootstrapServers, prefix, 1)
  const session = await database.connect()
  await session.query('SET SESSION binlog_rows_query_log_events = ON')
  await session.query(`INSERT INTO ${prefix}.t VALUES (1) /* logged */`)
  await session.end()

  const [event] = await waitForRecords(bootstrapServers, `${prefix}.${prefix}.t`, 1)
  const { schema, payload } = documentOf(event)
  const source = schema.fields?.find(({ field }) => field === 'source')
  assert.deepEqual(
    source?.fields?.map(({ field }) => field),
    [...SOURCE_FIELDS, 'query'],
  )
  assert.equal(payload.source['query'], `INSERT INTO ${prefix}.t VALUES (1) /* logged */`)
})
