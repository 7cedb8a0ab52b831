import {
  type ConnectValue,
  Decimal,
  EncodedText,
  isJavaDate,
  JAVA_NUMBERS,
  javaTypeName,
  type Schema,
  type SchemaType,
  Struct,
} from '@tributary/connect-api'

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
  if (isJavaDate(schema)) return 'java.util.Date'
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  return JAVA_NUMBERS[schema?.type ?? (isWhole ? 'int64' : 'double')] ?? 'java.lang.Number'
}

/** The class that values of the schema have in Java. */
export function javaClassOf(schema: Schema): string {
  if (isJavaDate(schema)) return 'java.util.Date'
  return JAVA_NUMBERS[schema.type] ?? CLASSES[schema.type] ?? 'java.lang.Object'
}

const CLASSES: Partial<Record<SchemaType, string>> = {
  boolean: 'java.lang.Boolean',
  string: 'java.lang.String',
  bytes: '[B',
  array: 'java.util.ArrayList',
  map: 'java.util.LinkedHashMap',
  struct: 'org.apache.kafka.connect.data.Struct',
}

/** The schema as Java prints it: `Schema{INT32}`, or with its name. */
export function javaSchemaText({ name, type }: Schema): string {
  return `Schema{${name === null ? '' : `${name}:`}${javaTypeName(type)}}`
}
