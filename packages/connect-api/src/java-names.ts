import type { Schema, SchemaType } from './data.ts'
import { DATE_SCHEMA_NAME, TIME_SCHEMA_NAME, TIMESTAMP_SCHEMA_NAME } from './text/logical-types.ts'

/** The classes that hold numbers in Java. Messages of Connect contain them. */
export const JAVA_NUMBERS: Readonly<Partial<Record<SchemaType, string>>> = {
  int8: 'java.lang.Byte',
  int16: 'java.lang.Short',
  int32: 'java.lang.Integer',
  int64: 'java.lang.Long',
  float: 'java.lang.Float',
  double: 'java.lang.Double',
}

const DATES: ReadonlySet<string | null> = new Set([DATE_SCHEMA_NAME, TIME_SCHEMA_NAME, TIMESTAMP_SCHEMA_NAME])

/** Whether Java holds values of the schema as `java.util.Date`: Connect's own dates and times. */
export function isJavaDate(schema: Schema | null): boolean {
  return schema !== null && DATES.has(schema.name)
}

/** The name of a schema type in Java's enumeration: `INT32`. */
export function javaTypeName(type: SchemaType): string {
  return type === 'float' ? 'FLOAT32' : type === 'double' ? 'FLOAT64' : type.toUpperCase()
}
