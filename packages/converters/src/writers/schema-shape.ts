import type { Schema } from '@tributary/connect-api'

/**
 * True when a writer compiled for `b` can write values of `a`: both have the same types, schema names and field names
 * at all levels. Transformations, and the schema history after a restart, make a second schema object for the same
 * type. Optionality and defaults may differ, because each writer checks its own values.
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
