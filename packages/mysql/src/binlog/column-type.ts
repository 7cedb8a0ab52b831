/** Column types as the binlog numbers them (enum_field_types, field_types.h 9.x). */
export const ColumnTypeCode = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  timestamp: 7,
  longLong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  varchar: 15,
  bit: 16,
  timestamp2: 17,
  datetime2: 18,
  time2: 19,
  /** MariaDB: BLOB and TEXT, VARCHAR and VARBINARY with the attribute COMPRESSED. */
  compressedBlob: 140,
  compressedVarchar: 141,
  vector: 242,
  json: 245,
  newDecimal: 246,
  enum: 247,
  set: 248,
  tinyBlob: 249,
  mediumBlob: 250,
  longBlob: 251,
  blob: 252,
  varString: 253,
  string: 254,
  geometry: 255,
} as const

/** A column as a table map describes it. */
export interface WireColumn {
  /** ENUM and SET have their own types here, although they share the number of CHAR on the wire. */
  readonly type: number
  /** The meaning depends on the type: length bytes, precision and scale, fraction digits … */
  readonly meta: number
}

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(ColumnTypeCode).map(([name, code]) => [code, name.toUpperCase()]),
)

export function columnTypeName(type: number): string {
  return NAMES.get(type) ?? `type ${type}`
}
