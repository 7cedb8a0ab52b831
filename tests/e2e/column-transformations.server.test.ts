/** Transformations of spatial columns and vectors, on columns of a real server, in a snapshot and in the stream. */
import { connectorConfig, startService, uniqueName, useKafka, useMySql, waitForRecords } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'

interface Row {
  readonly id: number
  readonly g: { readonly wkb: string; readonly srid: number } | null
  /** JSON. */
  readonly v: string | null
}

const CLASSES = {
  format: 'io.debezium.transforms.GeometryFormatTransformer',
  swap: 'io.debezium.transforms.SwapGeometryCoordinates',
  vector: 'io.debezium.transforms.VectorToJsonConverter',
} as const

test('geometries are swapped and become EWKB, vectors become JSON', { timeout: 120_000 }, async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using service = await startService({ bootstrapServers })
  const schema = uniqueName('shapes')
  const shapes = [
    'POINT(48.5 2.25)',
    'LINESTRING(1 2,3 4)',
    'POLYGON((0 0,0 1,1 1,0 0))',
    'MULTIPOINT((1 2),(3 4))',
    'GEOMETRYCOLLECTION(POINT(1 2),GEOMETRYCOLLECTION(LINESTRING(1 2,3 4)))',
  ]
  const rows = shapes.map((text, i) => `(${i + 1}, ST_GeomFromText('${text}', 4326), TO_VECTOR('[1,${i}.5,-3]'))`)
  await database.query(`CREATE DATABASE ${schema}; USE ${schema};
    CREATE TABLE t (id INT PRIMARY KEY, g GEOMETRY, v VECTOR(3)); INSERT INTO t VALUES ${rows.join(', ')}`)
  for (const [alias, type] of Object.entries(CLASSES)) {
    const prefix = `${schema}.${alias}`
    const more = { transforms: alias, [`transforms.${alias}.type`]: type }
    await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: schema, more }))
    await waitForRecords(bootstrapServers, `${prefix}.${schema}.t`, shapes.length)
  }
  await database.query(`INSERT INTO ${schema}.t SELECT id + 100, g, v FROM ${schema}.t ORDER BY id`)

  const selected = await database.query(
    `SELECT id, HEX(ST_AsWKB(g, 'axis-order=long-lat')) AS wkb, HEX(ST_AsWKB(g, 'axis-order=lat-long')) AS turned,
     HEX(v) AS numbers FROM ${schema}.t ORDER BY id`,
  )
  const after = async (alias: string): Promise<readonly Row[]> => {
    const records = await waitForRecords(bootstrapServers, `${schema}.${alias}.${schema}.t`, 2 * shapes.length)
    return records.map(({ value }) => {
      const { payload } = JSON.parse(value?.toString() ?? '') as { readonly payload: { readonly after: Row } }
      return payload.after
    })
  }
  const wkbOf = ({ g }: Row): string =>
    Buffer.from(g?.wkb ?? '', 'base64')
      .toString('hex')
      .toUpperCase()
  assert.deepEqual(
    (await after('swap')).map((row) => [row.id, wkbOf(row), row.g?.srid]),
    selected.map(({ id, turned }) => [id, turned, 4326]),
  )
  assert.deepEqual(
    (await after('format')).map((row) => [row.id, wkbOf(row)]),
    selected.map(({ id, wkb }) => [id, extended(String(wkb))]),
  )
  assert.deepEqual(
    (await after('vector')).map(({ id, v }) => [id, JSON.parse(String(v)) as unknown]),
    selected.map(({ id, numbers }) => [id, { values: numbersOf(String(numbers)) }]),
  )
})

/** PostGIS's notation: a flag in the type, and the SRID after it. */
function extended(wkb: string): string {
  const type = Buffer.from(wkb.slice(2, 10), 'hex').readUInt32LE()
  const head = Buffer.alloc(8)
  head.writeUInt32LE((type | 0x2000_0000) >>> 0, 0)
  head.writeUInt32LE(4326, 4)
  return `01${head.toString('hex').toUpperCase()}${wkb.slice(10)}`
}

function numbersOf(hex: string): number[] {
  const bytes = Buffer.from(hex, 'hex')
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i))
}
