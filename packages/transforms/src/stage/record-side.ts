import type { ConnectValue, Schema, SourceRecord } from '@tributary/connect-api'
import { withKey, withValue } from './changed-record.ts'

/** The half of a record that a transformation works on: Connect has most classes as `Class$Key` and `Class$Value`. */
export interface RecordSide {
  readonly name: 'key' | 'value'
  schemaOf(record: SourceRecord): Schema | null
  valueOf(record: SourceRecord): ConnectValue
  with(record: SourceRecord, schema: Schema | null, value: ConnectValue): SourceRecord
}

export const KEY_SIDE: RecordSide = {
  name: 'key',
  schemaOf: (record) => record.keySchema,
  valueOf: (record) => record.key,
  with: withKey,
}

export const VALUE_SIDE: RecordSide = {
  name: 'value',
  schemaOf: (record) => record.valueSchema,
  valueOf: (record) => record.value,
  with: withValue,
}
