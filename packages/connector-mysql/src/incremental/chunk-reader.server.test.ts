import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import { systemClock } from '@tributary/support'
import { eventually, uniqueName, useMySql } from '@tributary/testkit'
import { chunkKeyOf, type KeyPoint } from '../chunks/chunk-key.ts'
import { mysqlFlavor } from '../flavor/mysql-flavor.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import { createInterpreter } from '../record-parts.ts'
import { openSession } from '../snapshot/snapshot-session.ts'
import { SchemaReader } from '../tables/schema-reader.ts'
import { connectionOf } from '../testing/binlog-of.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import { type Chunk, ChunkReader, type ChunkRequest } from './chunk-reader.ts'

interface ReaderScene extends AsyncDisposable {
  readonly schema: string
  readonly reader: ChunkReader
  /** Of the first chunk. */
  readonly request: ChunkRequest
  connect(): Promise<MySqlConnection>
}

const { signal } = new AbortController()
const ignore = (): void => undefined

/** A reader for the table `t` of a new database, on MySQL as if it had no GTIDs. */
async function sceneOf(statements: string, surrogate: string | null, rowsMax: number): Promise<ReaderScene> {
  const database = await useMySql()
  const schema = uniqueName('chunk')
  await database.query(`CREATE DATABASE ${schema}; USE ${schema}; ${statements}`)
  await database.query(`GRANT SELECT, INSERT ON ${schema}.* TO 'debezium'@'%'`)
  const options = connectionOf(database)
  const connect = (): Promise<MySqlConnection> => openSession(options, signal)
  await using connection = await connect()
  const serverInfo = await mysqlFlavor.readServerInfo(connection)
  const interpreter = createInterpreter(
    { flavor: mysqlFlavor, info: serverInfo },
    { includesComments: false, skipsUnparseable: false },
  )
  const id = TableId.of(schema, 't')
  const definition = (await new SchemaReader(options, systemClock).createStatement(id)) ?? ''
  const table = interpreter.derive(id, definition)
  const handled = StreamPosition.parse({ file: 'binlog.000001', pos: 4 })
  assert.ok(table !== null && handled !== null)
  const choice = chunkKeyOf(table, { surrogate, messageKey: null })
  assert.ok(choice.tag === 'key')
  const { key } = choice
  const reader = new ChunkReader({
    connection: options,
    flavor: mysqlFlavor,
    serverInfo,
    interpreter,
    rowsMax,
    bytesMax: 1_000,
    markers: null,
  })
  const request = {
    table: testCompiler({}).compile(table),
    key,
    after: null,
    maximum: null,
    condition: null,
    handled,
    estimates: [],
  }
  return { schema, reader, request, connect, [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose]() }
}

test('a chunk whose rows are too large is divided; one row is not', async () => {
  const values = [1, 2, 3, 4, 5, 6, 7].map((id) => `(${id}, REPEAT('x', ${id === 4 ? 5_000 : 400}))`)
  await using scene = await sceneOf(
    `CREATE TABLE t (id INT PRIMARY KEY, v TEXT); INSERT INTO t VALUES ${values.join()}`,
    null,
    100,
  )
  const sizes: number[] = []
  let after: KeyPoint | null = null
  let maximum: KeyPoint | null = null
  for (;;) {
    const chunk: Chunk = await scene.reader.read({ ...scene.request, after, maximum }, ignore, signal)
    sizes.push(chunk.rows.length)
    if (chunk.isLast) break
    after = chunk.upTo
    maximum = chunk.maximum
  }
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    7,
  )
  assert.ok(
    sizes.every((size) => size <= 2),
    sizes.join(),
  )
})

test('rows of one key that are too large together are an error', async () => {
  const values = Array.from({ length: 20 }, () => `(7, REPEAT('x', 400))`)
  await using scene = await sceneOf(
    `CREATE TABLE t (k INT NOT NULL, v TEXT); INSERT INTO t VALUES ${values.join()}`,
    'k',
    100,
  )
  await assert.rejects(scene.reader.read(scene.request, ignore, signal), { code: 'INCREMENTAL_CHUNK_TOO_LARGE' })
})

test('MySQL without GTIDs: a row after the last visible one is read when its commit is in progress', async () => {
  await using scene = await sceneOf('CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2)', null, 1)
  await using writer = await scene.connect()
  await using watcher = await scene.connect()
  await writer.query('BEGIN')
  await writer.query(`INSERT INTO ${scene.schema}.t VALUES (9)`)
  const reading = scene.reader.read(scene.request, ignore, signal)
  const sql = `SELECT COUNT(*) FROM information_schema.processlist WHERE state <> '' AND info LIKE '%${scene.schema}%LOCK IN SHARE MODE'`
  await eventually('the reader waits for the writer', async () => (await watcher.query(sql))[0]?.[0] === '1')
  await writer.query('COMMIT')
  assert.deepEqual((await reading).maximum, ['9'])
})
