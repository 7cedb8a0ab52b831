import { type ConnectValue, Decimal, Struct } from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { javaClassName } from '../stage/java-class.ts'
import { fieldNameOf, type SchemalessMap } from '../stage/required-value.ts'

/**
 * Replaces maps within a map by their entries.
 *
 * @throws FLATTEN_TYPE, NOT_CONNECT_DATA for values that need a schema
 */
export function flattenMap(map: SchemalessMap, delimiter: string): ConnectValue {
  const flat = new Map<ConnectValue, ConnectValue>()
  const add = (entries: SchemalessMap, prefix: string): void => {
    for (const [key, value] of entries) {
      const own = fieldNameOf(key)
      const name = prefix === '' ? own : prefix + delimiter + own
      if (value instanceof Map) add(value as SchemalessMap, name)
      else {
        refuseTyped(name, value)
        flat.set(name, value)
      }
    }
  }
  add(map, '')
  return flat
}

function refuseTyped(name: string, value: ConnectValue): void {
  const found = javaClassName(null, value)
  if (value instanceof Struct) {
    throw transformErrors.FLATTEN_TYPE({ type: `class ${found}`, mode: 'without schemas', name })
  }
  if (value instanceof Decimal) throw transformErrors.NOT_CONNECT_DATA({ transformation: 'Flatten', found })
}
