import type { ConnectValue, Schema } from '@tributary/connect-api'
import { isDeepStrictEqual } from 'node:util'

/**
 * True when two schemas are equal, except that one may allow null. Equal schemas without a name become one Avro record.
 */
export function isEqualSchema(a: Schema, b: Schema): boolean {
  if (a === b) return true
  return (
    a.type === b.type &&
    a.name === b.name &&
    a.version === b.version &&
    a.doc === b.doc &&
    isDeepStrictEqual(a.parameters, b.parameters) &&
    isSameDefault(a.defaultValue, b.defaultValue) &&
    a.fields.length === b.fields.length &&
    a.fields.every(
      ({ name, schema }, i) => name === b.fields[i]?.name && isSamePart(schema, b.fields[i]?.schema ?? null),
    ) &&
    isSamePart(a.keySchema, b.keySchema) &&
    isSamePart(a.valueSchema, b.valueSchema)
  )
}

function isSamePart(a: Schema | null, b: Schema | null): boolean {
  if (a === null || b === null) return a === b
  return a.isOptional === b.isOptional && isEqualSchema(a, b)
}

function isSameDefault(a: ConnectValue, b: ConnectValue): boolean {
  return isDeepStrictEqual(a, b)
}
