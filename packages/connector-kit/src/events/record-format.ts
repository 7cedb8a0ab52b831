import type { Schema, Struct } from '@tributary/connect-api'
import type { EnvelopeForm } from '../schema/table-schema.ts'

export type RecordFormatName = 'v1' | 'v2'

/**
 * The form of the records that a connector writes (`source.struct.version`). It is data, so another form is another
 * value, not another code path. S is what the connector knows about the origin of an event.
 */
export interface RecordFormat<S> {
  readonly name: RecordFormatName
  readonly envelope: EnvelopeForm
  readonly sourceSchema: Schema
  /** Headers of the records name the connector and its run. */
  readonly hasContextHeaders: boolean
  source(info: S): Struct
  /** The source block of another row of the same event. `source`: that of one of its rows, from `source`. */
  sourceOfRow(source: Struct, row: number): Struct
}

/** The place of a row in its snapshot; `false` for a streamed row. */
export type SnapshotMarker =
  | 'first'
  | 'first_in_data_collection'
  | 'true'
  | 'last_in_data_collection'
  | 'last'
  | 'incremental'
  | 'false'
