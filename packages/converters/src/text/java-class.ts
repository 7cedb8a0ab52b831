import {
  type ConnectValue,
  Decimal,
  EncodedText,
  isJavaDate,
  JAVA_NUMBERS,
  type Schema,
  Struct,
} from '@tributary/connect-api'

/** The class that a value has in Java, for messages that quote it. Not for null. */
export function javaClassOf(schema: Schema | null, value: Exclude<ConnectValue, null>): string {
  if (typeof value === 'string' || value instanceof EncodedText) return 'java.lang.String'
  if (typeof value === 'boolean') return 'java.lang.Boolean'
  if (value instanceof Uint8Array) return '[B'
  if (value instanceof Decimal) return 'java.math.BigDecimal'
  if (value instanceof Struct) return 'org.apache.kafka.connect.data.Struct'
  if (value instanceof Map) return 'java.util.HashMap'
  if (typeof value !== 'number' && typeof value !== 'bigint') return 'java.util.ArrayList'
  if (isJavaDate(schema)) return 'java.util.Date'
  const ofSchema = schema === null ? undefined : JAVA_NUMBERS[schema.type]
  return ofSchema ?? (Number.isInteger(Number(value)) ? 'java.lang.Long' : 'java.lang.Double')
}
