import { charsetNamed } from '../types/charset.ts'
import { collationById } from '../types/collations.ts'
import type { ColumnTypeName } from '../types/column-type.ts'
import { readLengthEncoded } from '../types/length-encoded.ts'
import { ColumnTypeCode } from './column-type.ts'
import { isCompressed } from './compressed-value.ts'
import type { TableMap } from './table-map.ts'

/** What a table map contains about a column beside its type. Null: the map does not contain it. */
export interface ColumnDetails {
  readonly isNullable: boolean
  readonly name: string | null
  /** Of numeric types. */
  readonly isUnsigned: boolean | null
  /** Number of the collation, of character types, ENUM and SET; 63 is that of binary strings. */
  readonly collation: number | null
  /** Of ENUM and SET. Null also when their charset cannot be decoded. */
  readonly members: readonly string[] | null
  /** The type of a spatial column. */
  readonly geometry: ColumnTypeName | null
  /** Of a VECTOR of MySQL. */
  readonly dimensions: number | null
}

export interface TableMapDetails {
  readonly columns: readonly ColumnDetails[]
  /** True: `binlog_row_metadata` was FULL. */
  readonly hasNames: boolean
  /**
   * In the order of the key; empty without one, and without names. The server promotes a unique key without NULL when
   * there is no primary key.
   */
  readonly primaryKey: readonly PrimaryKeyPart[]
}

export interface PrimaryKeyPart {
  /** Index of the column. */
  readonly column: number
  /** Characters of the column, when the key has only its beginning; else 0. */
  readonly prefix: number
}

interface Draft {
  isNullable: boolean
  name: string | null
  isUnsigned: boolean | null
  collation: number | null
  members: readonly string[] | null
  geometry: ColumnTypeName | null
  dimensions: number | null
}

/** The part of the tail that is read, and what is found in it. */
interface Reading {
  readonly bytes: Buffer
  readonly map: TableMap
  readonly columns: readonly Draft[]
  primaryKey: readonly PrimaryKeyPart[]
  /** Raw members by column, until the charsets are known: those of ENUM and SET follow them. */
  readonly members: Map<number, readonly Buffer[]>
}

/**
 * Reads the tail of a table map: null bitmap · optional metadata, each field int<1> type · int<lenenc> length · value
 * (Table_map_log_event in log_event.cc of both servers). `binlog_row_metadata=MINIMAL` has signs and charsets, FULL also
 * names, members and the primary key; MariaDB's NO_LOG has none of these.
 *
 * Throws RangeError for a field that is not as its type demands. A field of an unknown type is skipped.
 */
export function tableMapDetails(map: TableMap): TableMapDetails {
  const { tail: bytes, columns } = map
  const nullBytes = (columns.length + 7) >> 3
  const drafts = columns.map((_, i): Draft => {
    // A map that a test made may have no tail.
    const isNullable = bytes.length === 0 || (((bytes[i >> 3] as number) >> (i & 7)) & 1) === 1
    return {
      isNullable,
      name: null,
      isUnsigned: null,
      collation: null,
      members: null,
      geometry: null,
      dimensions: null,
    }
  })
  const reading: Reading = {
    bytes,
    map,
    columns: drafts,
    primaryKey: [],
    members: new Map(),
  }
  const cursor = { at: Math.min(nullBytes, bytes.length) }
  while (cursor.at < bytes.length) {
    const type = bytes[cursor.at] as number
    cursor.at += 1
    const length = readLengthEncoded(bytes, cursor)
    const end = cursor.at + length
    if (end > bytes.length) throw new RangeError(`its metadata of type ${type} extends past its end`)
    readField(type, reading, cursor.at, end)
    cursor.at = end
  }
  decodeMembers(reading)
  return {
    columns: drafts,
    hasNames: drafts.length > 0 && drafts.every(({ name }) => name !== null),
    primaryKey: reading.primaryKey,
  }
}

function readField(type: number, reading: Reading, at: number, end: number): void {
  switch (type) {
    case Field.signedness:
      return readSigns(reading, at, end)
    case Field.defaultCharset:
      return readDefaultCharset(reading, at, end, isCharacterOrVector)
    case Field.columnCharset:
      return readCharsets(reading, at, end, CHARACTER_LISTS)
    case Field.enumAndSetDefaultCharset:
      return readDefaultCharset(reading, at, end, isEnumOrSet)
    case Field.enumAndSetColumnCharset:
      return readCharsets(reading, at, end, [isEnumOrSet])
    case Field.columnName:
      return readNames(reading, at, end)
    case Field.setMembers:
      return readMembers(reading, at, end, ColumnTypeCode.set)
    case Field.enumMembers:
      return readMembers(reading, at, end, ColumnTypeCode.enum)
    case Field.geometryType:
      return readGeometryTypes(reading, at, end)
    case Field.vectorDimensions:
      return readDimensions(reading, at, end)
    case Field.simplePrimaryKey:
      reading.primaryKey = numbers(reading.bytes, at, end).map((column) => ({ column, prefix: 0 }))
      return requireKeyColumns(reading)
    case Field.primaryKeyWithPrefix: {
      const pairs = numbers(reading.bytes, at, end)
      reading.primaryKey = pairs.flatMap((column, i) => (i % 2 === 0 ? [{ column, prefix: pairs[i + 1] ?? 0 }] : []))
      return requireKeyColumns(reading)
    }
    default:
      return undefined
  }
}

function requireKeyColumns({ primaryKey, columns }: Reading): void {
  if (primaryKey.some(({ column }) => column >= columns.length))
    throw new RangeError('its primary key names a column that it does not have')
}

/** One bit per numeric column, the highest bit first. */
function readSigns({ bytes, map, columns }: Reading, at: number, end: number): void {
  const numeric = indexesOf(map, isNumeric)
  if (end - at !== (numeric.length + 7) >> 3) throw new RangeError('its signs do not fit its numeric columns')
  for (const [i, index] of numeric.entries()) {
    const column = columns[index] as Draft
    column.isUnsigned = (((bytes[at + (i >> 3)] as number) >> (7 - (i & 7))) & 1) === 1
  }
}

/** int<lenenc> collation of most · (int<lenenc> index among the character columns · int<lenenc> collation) … */
function readDefaultCharset(reading: Reading, at: number, end: number, isOne: (type: number) => boolean): void {
  const { map, columns, bytes } = reading
  // MariaDB counts spatial columns among the character columns, MySQL does not: the indexes are ambiguous.
  if (isOne === isCharacterOrVector && map.columns.some(({ type }) => type === ColumnTypeCode.geometry)) return
  const [common = 0, ...pairs] = numbers(bytes, at, end)
  const indexes = indexesOf(map, isOne)
  for (const index of indexes) (columns[index] as Draft).collation = common
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const column = columns[indexes[pairs[i] as number] ?? -1]
    if (column === undefined) throw new RangeError('its charsets name a column that it does not have')
    column.collation = pairs[i + 1] as number
  }
}

/**
 * int<lenenc> collation of each. The servers do not agree on what a character column is, so the number of collations
 * decides. Charsets that fit none of their lists are left out.
 */
function readCharsets(
  { map, columns, bytes }: Reading,
  at: number,
  end: number,
  lists: readonly ((type: number) => boolean)[],
): void {
  const collations = numbers(bytes, at, end)
  const indexes = lists.map((isListed) => indexesOf(map, isListed)).find(({ length }) => length === collations.length)
  for (const [i, index] of (indexes ?? []).entries()) (columns[index] as Draft).collation = collations[i] as number
}

/** string<lenenc> of each column. */
function readNames({ bytes, columns }: Reading, at: number, end: number): void {
  const cursor = { at }
  for (const column of columns) column.name = readString(bytes, cursor, end).toString()
  if (cursor.at !== end) throw new RangeError('its column names do not fit its columns')
}

/** For each column of the type: int<lenenc> count · string<lenenc> of each member. */
function readMembers({ bytes, map, members }: Reading, at: number, end: number, type: number): void {
  const cursor = { at }
  for (const index of indexesOf(map, (other) => other === type)) {
    const count = cursor.at < end ? readLengthEncoded(bytes, cursor) : 0
    const found: Buffer[] = []
    // Each takes a byte at least, so a damaged count ends with the field.
    for (let i = 0; i < count; i++) found.push(readString(bytes, cursor, end))
    members.set(index, found)
  }
  if (cursor.at !== end) throw new RangeError('its members do not fit its columns')
}

/** int<lenenc> type of each spatial column, as well-known binary numbers them; 0 is GEOMETRY. */
function readGeometryTypes({ bytes, map, columns }: Reading, at: number, end: number): void {
  const types = numbers(bytes, at, end)
  const spatial = indexesOf(map, (type) => type === ColumnTypeCode.geometry)
  if (types.length !== spatial.length) throw new RangeError('its spatial types do not fit its columns')
  for (const [i, index] of spatial.entries()) {
    ;(columns[index] as Draft).geometry = GEOMETRIES[types[i] as number] ?? null
  }
}

const GEOMETRIES: readonly ColumnTypeName[] = [
  'GEOMETRY',
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
]

/** int<lenenc> dimensions of each VECTOR. */
function readDimensions({ bytes, map, columns }: Reading, at: number, end: number): void {
  const dimensions = numbers(bytes, at, end)
  const vectors = indexesOf(map, (type) => type === ColumnTypeCode.vector)
  if (dimensions.length !== vectors.length) throw new RangeError('its dimensions do not fit its vectors')
  for (const [i, index] of vectors.entries()) (columns[index] as Draft).dimensions = dimensions[i] as number
}

function decodeMembers({ members, columns }: Reading): void {
  for (const [index, found] of members) {
    const column = columns[index] as Draft
    const charset = column.collation === null ? undefined : collationById(column.collation)?.charset
    const decoder = charset === undefined ? undefined : charsetNamed(charset)
    if (decoder !== undefined) column.members = found.map((bytes) => decoder.decode(bytes, 0, bytes.length))
  }
}

function readString(bytes: Buffer, cursor: { at: number }, end: number): Buffer {
  if (cursor.at >= end) throw new RangeError('a text of its metadata begins past its end')
  const length = readLengthEncoded(bytes, cursor)
  const start = cursor.at
  cursor.at += length
  if (cursor.at > end) throw new RangeError('a text of its metadata extends past its end')
  return bytes.subarray(start, cursor.at)
}

function numbers(bytes: Buffer, at: number, end: number): number[] {
  const cursor = { at }
  const found: number[] = []
  while (cursor.at < end) found.push(readLengthEncoded(bytes, cursor))
  return found
}

function indexesOf({ columns }: TableMap, isOne: (type: number) => boolean): readonly number[] {
  return columns.flatMap(({ type }, index) => (isOne(type) ? [index] : []))
}

const NUMERIC: ReadonlySet<number> = new Set([
  ColumnTypeCode.tiny,
  ColumnTypeCode.short,
  ColumnTypeCode.int24,
  ColumnTypeCode.long,
  ColumnTypeCode.longLong,
  ColumnTypeCode.float,
  ColumnTypeCode.double,
  ColumnTypeCode.newDecimal,
  ColumnTypeCode.year,
])

function isNumeric(type: number): boolean {
  return NUMERIC.has(type)
}

const CHARACTER: ReadonlySet<number> = new Set([
  ColumnTypeCode.string,
  ColumnTypeCode.varString,
  ColumnTypeCode.varchar,
  ColumnTypeCode.tinyBlob,
  ColumnTypeCode.mediumBlob,
  ColumnTypeCode.longBlob,
  ColumnTypeCode.blob,
])

function isCharacter(type: number): boolean {
  return CHARACTER.has(type)
}

/** MySQL counts a VECTOR as a column in the charset `binary` (captured from 9.7). */
function isCharacterOrVector(type: number): boolean {
  return isCharacter(type) || type === ColumnTypeCode.vector
}

/** MySQL, then MariaDB: with spatial columns, and with those of the attribute COMPRESSED. */
const CHARACTER_LISTS: readonly ((type: number) => boolean)[] = [
  isCharacterOrVector,
  (type) => isCharacter(type) || type === ColumnTypeCode.geometry,
  (type) => isCharacter(type) || isCompressed(type),
  (type) => isCharacter(type) || type === ColumnTypeCode.geometry || isCompressed(type),
]

function isEnumOrSet(type: number): boolean {
  return type === ColumnTypeCode.enum || type === ColumnTypeCode.set
}

/** Types of optional metadata fields (Optional_metadata_field_type), those that matter here. */
const Field = {
  signedness: 1,
  defaultCharset: 2,
  columnCharset: 3,
  columnName: 4,
  setMembers: 5,
  enumMembers: 6,
  geometryType: 7,
  simplePrimaryKey: 8,
  primaryKeyWithPrefix: 9,
  enumAndSetDefaultCharset: 10,
  enumAndSetColumnCharset: 11,
  vectorDimensions: 13,
} as const
