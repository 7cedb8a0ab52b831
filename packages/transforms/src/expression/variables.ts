import type { Evaluate } from './evaluate.ts'
import type { Language } from './language.ts'
import type { Scope } from './scope.ts'
import type { Variable } from './tree.ts'
import { readerOf } from './value-reader.ts'
import { HeaderValue, type Value } from './values.ts'

/** Reads a part of the record. Debezium's documentation has the name `headers`, its code `header`. */
export function readVariable(name: Variable, language: Language): Evaluate {
  switch (name) {
    case 'value':
      return (scope) => readerOf(scope.record.valueSchema, language)(scope.record.value, scope)
    case 'key':
      return (scope) => readerOf(scope.record.keySchema, language)(scope.record.key, scope)
    case 'valueSchema':
      return ({ record }) => record.valueSchema
    case 'keySchema':
      return ({ record }) => record.keySchema
    case 'topic':
      return ({ record }) => record.topic
    case 'header':
    case 'headers':
      return (scope) => headersOf(scope, language)
  }
}

/** By name; the last one of each. */
function headersOf(scope: Scope, language: Language): ReadonlyMap<Value, Value> {
  scope.charge(scope.record.headers.length)
  const headers = new Map<Value, Value>()
  for (const { key, schema, value } of scope.record.headers) {
    headers.set(key, new HeaderValue(schema, readerOf(schema, language)(value, scope)))
  }
  return headers
}
