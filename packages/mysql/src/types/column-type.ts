import { bytesPerCharacterMax } from './collations.ts'

const COLUMN_TYPE_NAMES = [
  'TINYINT',
  'SMALLINT',
  'MEDIUMINT',
  'INT',
  'BIGINT',
  'DECIMAL',
  'FLOAT',
  'DOUBLE',
  'BIT',
  'YEAR',
  'DATE',
  'TIME',
  'DATETIME',
  'TIMESTAMP',
  'CHAR',
  'VARCHAR',
  'TINYTEXT',
  'TEXT',
  'MEDIUMTEXT',
  'LONGTEXT',
  'BINARY',
  'VARBINARY',
  'TINYBLOB',
  'BLOB',
  'MEDIUMBLOB',
  'LONGBLOB',
  'ENUM',
  'SET',
  'JSON',
  'VECTOR',
  'UUID',
  'INET4',
  'INET6',
  'GEOMETRY',
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
] as const

/** The types that a server stores, without synonyms; UNKNOWN is a type that is newer than this program. */
export type ColumnTypeName = (typeof COLUMN_TYPE_NAMES)[number] | 'UNKNOWN'

export const columnTypeNames: readonly ColumnTypeName[] = COLUMN_TYPE_NAMES

/** The type of a column in normal form: equal for all spellings of one type. */
export interface ColumnType {
  readonly name: ColumnTypeName
  /**
   * Characters (CHAR, VARCHAR), bytes (BINARY, VARBINARY, and BLOB and TEXT when given), bits (BIT), digits (DECIMAL,
   * and FLOAT and DOUBLE when given), digits of the fraction (TIME, DATETIME, TIMESTAMP), dimensions (VECTOR), display
   * width (integers, YEAR). Null when the statement specifies none.
   */
  readonly length: number | null
  /** Digits after the decimal point of DECIMAL, and of FLOAT and DOUBLE when given. */
  readonly scale: number | null
  readonly isUnsigned: boolean
  readonly isZerofill: boolean
  /** Of character types, ENUM and SET; null for the default of the table. */
  readonly charset: string | null
  readonly collation: string | null
  /** The attribute BINARY: the `_bin` collation of the charset. */
  readonly isBinaryCollation: boolean
  /** Members of ENUM and SET in order, as strings. */
  readonly members: readonly string[]
}

const CHARACTER_TYPES: ReadonlySet<ColumnTypeName> = new Set<ColumnTypeName>([
  'CHAR',
  'VARCHAR',
  'TINYTEXT',
  'TEXT',
  'MEDIUMTEXT',
  'LONGTEXT',
  'ENUM',
  'SET',
])

/** Whether values are characters of a charset. */
export function hasCharset(name: ColumnTypeName): boolean {
  return CHARACTER_TYPES.has(name)
}

/** The types that replace character types with the charset `binary` (sql_yacc.yy: the type has my_charset_bin). */
const BINARY_TWINS: Readonly<Partial<Record<ColumnTypeName, ColumnTypeName>>> = {
  CHAR: 'BINARY',
  VARCHAR: 'VARBINARY',
  TINYTEXT: 'TINYBLOB',
  TEXT: 'BLOB',
  MEDIUMTEXT: 'MEDIUMBLOB',
  LONGTEXT: 'LONGBLOB',
}

/**
 * The type with the resolved charset of its column. CHAR, VARCHAR and TEXT with the charset `binary` become BINARY,
 * VARBINARY and BLOB, as on the server; a type without a charset does not change.
 */
export function withCharset(type: ColumnType, charset: string): ColumnType {
  if (!hasCharset(type.name)) return type
  const twin = charset.toLowerCase() === 'binary' ? BINARY_TWINS[type.name] : undefined
  return twin === undefined ? { ...type, charset } : { ...type, name: twin, charset: null, collation: null }
}

/** The sizes of TEXT and BLOB by the length of their longest value in bytes (field.h, Field_blob). */
const TEXT_SIZES: readonly { bytesMax: number; TEXT: ColumnTypeName; BLOB: ColumnTypeName }[] = [
  { bytesMax: 255, TEXT: 'TINYTEXT', BLOB: 'TINYBLOB' },
  { bytesMax: 65_535, TEXT: 'TEXT', BLOB: 'BLOB' },
  { bytesMax: 16_777_215, TEXT: 'MEDIUMTEXT', BLOB: 'MEDIUMBLOB' },
  { bytesMax: Infinity, TEXT: 'LONGTEXT', BLOB: 'LONGBLOB' },
]

/**
 * The type as the server's catalogue names it: FLOAT(25) is DOUBLE, TEXT(10) is TINYTEXT, CHAR is CHAR(1).
 *
 * @param type with its charset resolved
 */
export function catalogueType(type: ColumnType): ColumnType {
  switch (type.name) {
    case 'FLOAT':
      // FLOAT(p) with p above 24 is double precision; FLOAT(M,D) never is.
      if (type.scale !== null || type.length === null) return type
      return { ...type, name: type.length > 24 ? 'DOUBLE' : 'FLOAT', length: null }
    case 'TEXT':
    case 'BLOB':
      return type.length === null
        ? type
        : { ...type, name: sizedName(type.name, type.length * bytesPerCharacterMax(type.charset ?? '')), length: null }
    case 'BIT':
      // MariaDB accepts BIT(0).
      return type.length === null || type.length === 0 ? { ...type, length: 1 } : type
    case 'CHAR':
    case 'BINARY':
      return type.length === null ? { ...type, length: 1 } : type
    case 'DECIMAL':
      return { ...type, length: type.length ?? 10, scale: type.scale ?? 0 }
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return type.length === 0 ? { ...type, length: null } : type
    default:
      return type
  }
}

/** The longest VARCHAR and VARBINARY, in bytes (MAX_FIELD_VARCHARLENGTH). */
const VARCHAR_BYTES_MAX = 65_535

/**
 * A VARCHAR or VARBINARY that is too long becomes a TEXT or BLOB type, for which a session needs a SQL mode without
 * STRICT (sql_table.cc, prepare_blob_field). Other types do not change.
 *
 * @param type with its charset resolved
 */
export function fittingType(type: ColumnType): ColumnType {
  const family = type.name === 'VARCHAR' ? 'TEXT' : type.name === 'VARBINARY' ? 'BLOB' : null
  if (family === null) return type
  const bytes = (type.length ?? 0) * bytesPerCharacterMax(type.charset ?? '')
  return bytes <= VARCHAR_BYTES_MAX ? type : { ...type, name: sizedName(family, bytes), length: null }
}

function sizedName(family: 'TEXT' | 'BLOB', bytes: number): ColumnTypeName {
  return TEXT_SIZES.find(({ bytesMax }) => bytes <= bytesMax)?.[family] ?? family
}

/**
 * The type of a TEXT column after its conversion to a charset with longer or shorter characters: one with room for as
 * many characters as before (sql_table.cc, prepare_blob_field).
 */
export function resizedText(name: ColumnTypeName, from: string, to: string): ColumnTypeName {
  const size = TEXT_SIZES.find(({ TEXT }) => TEXT === name)
  return size === undefined ? name : textFor(charactersIn(size.bytesMax, from), to)
}

function charactersIn(bytes: number, charset: string): number {
  return Math.floor(bytes / bytesPerCharacterMax(charset))
}

/** The TEXT type with room for so many characters. */
export function textFor(characters: number, charset: string): ColumnTypeName {
  return sizedName('TEXT', characters * bytesPerCharacterMax(charset))
}

/** The BLOB type with room for so many bytes. */
export function blobFor(bytes: number): ColumnTypeName {
  return sizedName('BLOB', bytes)
}

/** The most characters, or bytes of a binary type, of a TEXT or BLOB type; null for another type. */
export function textLengthMax({ name, charset }: ColumnType): number | null {
  const size = TEXT_SIZES.find(({ TEXT, BLOB }) => TEXT === name || BLOB === name)
  if (size === undefined) return null
  return size.TEXT === name ? charactersIn(size.bytesMax, charset ?? '') : size.bytesMax
}
