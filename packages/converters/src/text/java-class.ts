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

const CLASSES: Readonly<Partial<Record<SchemaType, string>>> = {
  int8: 'java.lang.Byte',
  int16: 'java.lang.Short',
  int32: 'java.lang.Integer',
  int64: 'java.lang.Long',
  float: 'java.lang.Float',
  double: 'java.lang.Double',
}

/** True if Java holds values of the schema as `java.util.Date`: Connect's own dates and times. */
export function isJavaDate({ name }: Schema): boolean {
  return name === DATE_SCHEMA_NAME || name === TIME_SCHEMA_NAME || name === TIMESTAMP_SCHEMA_NAME
}

/** The class that a value has in Java, for messages that quote it. Not for null. */
export function javaClassOf(schema: Schema | null, value: Exclude<ConnectValue, null>): string {
  if (typeof value === 'string' || value instanceof EncodedText) return 'java.lang.String'
  if (typeof value === 'boolean') return 'java.lang.Boolean'
  if (value instanceof Uint8Array) return '[B'
  if (value instanceof Decimal) return 'java.math.BigDecimal'
  if (value instanceof Struct) return 'org.apache.kafka.connect.data.Struct'
  if (value instanceof Map) return 'java.util.HashMap'
  if (typeof value !== 'number' && typeof value !== 'bigint') return 'java.util.ArrayList'
  if (schema !== null && isJavaDate(schema)) return 'java.util.Date'
  const ofSchema = schema === null ? undefined : CLASSES[schema.type]
  return ofSchema ?? (Number.isInteger(Number(value)) ? 'java.lang.Long' : 'java.lang.Double')
}

/** The name of a schema type in Java's enumeration. */
export function javaTypeOf({ type }: Schema): string {
  return type === 'float' ? 'FLOAT32' : type === 'double' ? 'FLOAT64' : type.toUpperCase()
}
