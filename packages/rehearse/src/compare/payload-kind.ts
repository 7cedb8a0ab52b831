import { isObject, type JsonObject, type JsonValue } from './json-value.ts'

/** The kind of a record's value. */
export type PayloadKind =
  /** A change as Debezium writes it, with `op` and `source`. */
  | 'envelope'
  /** A change of the schema, with `ddl` and `source`. */
  | 'statement'
  /** Begin or end of a transaction. */
  | 'transaction'
  /** Any other value, such as the row alone after a transformation. */
  | 'flat'

/** Tests several members: a row may have columns of any name, so a single member proves nothing. */
export function kindOfPayload(payload: JsonValue): PayloadKind {
  if (!isObject(payload)) return 'flat'
  const hasSource = Object.hasOwn(payload, 'source') && isObject(payload['source'])
  if (hasSource && Object.hasOwn(payload, 'op') && typeof payload['op'] === 'string') return 'envelope'
  if (hasSource && Object.hasOwn(payload, 'ddl')) return 'statement'
  return isTransaction(payload) ? 'transaction' : 'flat'
}

/** A row is mistaken for this kind only if it has exactly these columns and one of the two texts. */
function isTransaction(payload: JsonObject): boolean {
  if (payload['status'] !== 'BEGIN' && payload['status'] !== 'END') return false
  const isNamed = typeof payload['id'] === 'string' && Object.hasOwn(payload, 'event_count')
  return isNamed && Object.keys(payload).every((name) => TRANSACTION.has(name))
}

const TRANSACTION = new Set(['status', 'id', 'event_count', 'data_collections', 'ts_ms'])
