import { type ConnectValue, type Schema, scalarText, Struct } from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { javaClassName } from './java-class.ts'

/** A value without a schema that has fields. */
export type SchemalessMap = ReadonlyMap<ConnectValue, ConnectValue>

/** @throws NOT_A_STRUCT */
export function requireStruct(schema: Schema | null, value: ConnectValue, purpose: string): Struct {
  if (value instanceof Struct) return value
  throw transformErrors.NOT_A_STRUCT({ purpose, found: javaClassName(schema, value) })
}

/** @throws NOT_A_MAP */
export function requireMap(value: ConnectValue, purpose: string): SchemalessMap {
  if (value instanceof Map) return value as SchemalessMap
  throw transformErrors.NOT_A_MAP({ purpose, found: javaClassName(null, value) })
}

/** The name of a field of a map. Keys that are no texts have a name too: Connect fails there. */
export function fieldNameOf(key: ConnectValue): string {
  return scalarText(null, key) ?? javaClassName(null, key)
}
