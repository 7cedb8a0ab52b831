import type { Schema } from '@tributary/connect-api'

/**
 * True when values of `a` can be written as values of `b`: same types, names of schemas and names of fields, all the way
 * down. Two schema objects for one type are made by transformations and after a restart of a table's history. Optionality
 * and defaults may differ: each value is checked where it stands.
 */
export function hasSameShape(a: Schema, b: Schema): boolean {
  if (a === b) return true
  if (a.type !== b.type || a.name !== b.name || a.fields.length !== b.fields.length) return false
  return (
    isSamePart(a.keySchema, b.keySchema) &&
    isSamePart(a.valueSchema, b.valueSchema) &&
    a.fields.every((field, index) => {
      const other = b.fields[index]
      return other !== undefined && field.name === other.name && hasSameShape(field.schema, other.schema)
    })
  )
}

function isSamePart(a: Schema | null, b: Schema | null): boolean {
  return a === null || b === null ? a === b : hasSameShape(a, b)
}
