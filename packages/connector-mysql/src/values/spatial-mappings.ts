import { type ConnectValue, Schema, type SchemaOptions, Struct } from '@tributary/connect-api'
import type { TypeMapping } from './column-mapping.ts'

/**
 * Spatial types. Values have the bytes of the server: int<4> SRID · well-known binary, in which MySQL has longitude before
 * latitude, whatever the axis order of the SRS. An SRID of 0 is null. The schemas are those of Debezium 3.6: that of
 * POINT follows its column, that of the others is always optional.
 *
 * Where a column that is NOT NULL gets no value, MariaDB stores an empty one, whose ST_AsText is NULL: it is null, and a
 * POINT without bytes.
 */

/** `io.debezium.data.geometry.Point` */
export function pointMapping(): TypeMapping {
  return {
    schema: (common) => pointSchema(common),
    target: (fallback) => ({
      kind: 'geometry',
      of: (bytes, start, end) => (start === end ? fallback : pointOf(bytes, start, end)),
    }),
    fallback: NO_POINT,
    parseDefault: () => undefined,
  }
}

/** `io.debezium.data.geometry.Geometry` */
export function geometryMapping(): TypeMapping {
  return {
    schema: (common) => geometrySchema(common),
    target: () => ({ kind: 'geometry', of: geometryOf }),
    fallback: null,
    parseDefault: () => undefined,
  }
}

const SRID = Schema.of('int32', { optional: true })

function pointSchema(common: SchemaOptions): Schema {
  const fields = [
    ['x', Schema.of('double')],
    ['y', Schema.of('double')],
    ['wkb', Schema.of('bytes', { optional: true })],
    ['srid', SRID],
  ] as const
  return Schema.struct(fields, { doc: 'Geometry (POINT)', ...common, name: `${GEOMETRY}.Point`, version: 1 })
}

function geometrySchema(common: SchemaOptions): Schema {
  const fields = [
    ['wkb', Schema.of('bytes')],
    ['srid', SRID],
  ] as const
  const named = { ...common, optional: true, name: `${GEOMETRY}.Geometry`, version: 1 }
  return Schema.struct(fields, { doc: 'Geometry', ...named })
}

const GEOMETRY = 'io.debezium.data.geometry'

/** The schemas of the values: those of columns have the same fields. */
const POINT_VALUE = pointSchema({})
const GEOMETRY_VALUE = geometrySchema({})

const SRID_BYTES = 4
/** Of the first coordinate of a point: byte order and type are before it. */
const X_AT = SRID_BYTES + 1 + 4

/** In a column that is NOT NULL: without bytes. */
const NO_POINT = new Struct(POINT_VALUE, [0, 0, null, null])

function pointOf(bytes: Buffer, start: number, end: number): ConnectValue {
  const isLittleEndian = bytes[start + SRID_BYTES] === 1
  const [x, y] = isLittleEndian
    ? [bytes.readDoubleLE(start + X_AT), bytes.readDoubleLE(start + X_AT + 8)]
    : [bytes.readDoubleBE(start + X_AT), bytes.readDoubleBE(start + X_AT + 8)]
  return new Struct(POINT_VALUE, [x, y, bytes.subarray(start + SRID_BYTES, end), sridOf(bytes, start)])
}

function geometryOf(bytes: Buffer, start: number, end: number): ConnectValue {
  if (end === start) return null
  return new Struct(GEOMETRY_VALUE, [bytes.subarray(start + SRID_BYTES, end), sridOf(bytes, start)])
}

/** As the schema demands: signed. */
function sridOf(bytes: Buffer, start: number): number | null {
  const srid = bytes.readInt32LE(start)
  return srid === 0 ? null : srid
}
