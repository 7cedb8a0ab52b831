import type { Struct } from '@tributary/connect-api'
import { assert } from '@tributary/support'

/**
 * Fields of row images whose values the binlog lacks and whose types have no placeholder. Until they are read from the
 * table again, the struct has null in them, which would be a wrong value in an event.
 */
const unknown = new WeakMap<Struct, readonly number[]>()

/** `fields`: their indexes; none: the struct is complete. */
export function setUnknownFields(row: Struct, fields: readonly number[]): void {
  if (fields.length > 0) unknown.set(row, fields)
}

export function unknownFieldsOf(row: Struct): readonly number[] {
  return unknown.get(row) ?? NONE
}

export function assertComplete(row: Struct): void {
  const [first] = unknownFieldsOf(row)
  assert(first === undefined, `the field ${row.schema.fields[first ?? 0]?.name} of a row was not read again`)
}

const NONE: readonly number[] = []
