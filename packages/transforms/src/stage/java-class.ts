import {
  type ConnectValue,
  DATE_SCHEMA_NAME,
  Decimal,
  EncodedText,
  type Schema,
  type SchemaType,
  Struct,
  TIME_SCHEMA_NAME,
  TIMESTAMP_SCHEMA_NAME,
} from '@tributary/connect-api'

const NUMBERS: Partial<Record<SchemaType, string>> = {
  int8: 'java.lang.Byte',
  int16: 'java.lang.Short',
  int32: 'java.lang.Integer',
  int64: 'java.lang.Long',
  float: 'java.lang.Float',
  double: 'java.lang.Double',
}
const MOMENTS: ReadonlySet<string> = new Set([DATE_SCHEMA_NAME, TIME_SCHEMA_NAME, TIMESTAMP_SCHEMA_NAME])

/** The class that a value has in Java, which messages of Connect contain. */
export function javaClassName(schema: Schema | null, value: ConnectValue): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'java.lang.Boolean'
  if (typeof value === 'string' || value instanceof EncodedText) return 'java.lang.String'
  if (value instanceof Decimal) return 'java.math.BigDecimal'
  if (value instanceof Uint8Array) return '[B'
  if (value instanceof Struct) return 'org.apache.kafka.connect.data.Struct'
  if (value instanceof Map) return 'java.util.LinkedHashMap'
  if (typeof value !== 'number' && typeof value !== 'bigint') return 'java.util.ArrayList'
  if (isMoment(schema)) return 'java.util.Date'
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  return NUMBERS[schema?.type ?? (isWhole ? 'int64' : 'double')] ?? 'java.lang.Number'
}

/** The class that values of the schema have in Java. */
export function javaClassOf(schema: Schema): string {
  if (isMoment(schema)) return 'java.util.Date'
  return NUMBERS[schema.type] ?? CLASSES[schema.type] ?? 'java.lang.Object'
}

const CLASSES: Partial<Record<SchemaType, string>> = {
  boolean: 'java.lang.Boolean',
  string: 'java.lang.String',
  bytes: '[B',
  array: 'java.util.ArrayList',
  map: 'java.util.LinkedHashMap',
  struct: 'org.apache.kafka.connect.data.Struct',
}

/** Whether values of the schema are java.util.Date in Java. */
export function isMoment(schema: Schema | null): boolean {
  return schema?.name !== undefined && schema.name !== null && MOMENTS.has(schema.name)
}

const TYPES: Partial<Record<SchemaType, string>> = { float: 'FLOAT32', double: 'FLOAT64' }

/** The type as Java prints it: `INT32`. */
export function javaTypeName(type: SchemaType): string {
  return TYPES[type] ?? type.toUpperCase()
}

/** The schema as Java prints it: `Schema{INT32}`, or with its name. */
export function javaSchemaText({ name, type }: Schema): string {
  return `Schema{${name === null ? '' : `${name}:`}${javaTypeName(type)}}`
}
