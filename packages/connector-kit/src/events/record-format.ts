import type { Schema, Struct } from '@tributary/connect-api'
import type { EnvelopeForm } from '../schema/table-schema.ts'

export type RecordFormatName = 'v1' | 'v2'

/**
 * The form of the records that a connector writes (`source.struct.version`): data, so that a further form is a further
 * value and no further path. S is what the connector knows about an event's origin.
 */
export interface RecordFormat<S> {
  readonly name: RecordFormatName
  readonly envelope: EnvelopeForm
  readonly sourceSchema: Schema
  /** Records say in headers which connector and which run of it they come from. */
  readonly hasContextHeaders: boolean
  source(info: S): Struct
}

/** Where a row of a snapshot stands in it; `false` for a streamed row. */
export type SnapshotMarker =
  | 'first'
  | 'first_in_data_collection'
  | 'true'
  | 'last_in_data_collection'
  | 'last'
  | 'incremental'
  | 'false'
