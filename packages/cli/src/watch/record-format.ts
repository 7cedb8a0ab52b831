import type { LogRecord } from '@tributary/kafka'

/** How records are printed. */
export interface RecordFormat {
  /** Loads the schemas of the records from a registry; called before `format`. */
  loadSchemas?(records: readonly LogRecord[], signal: AbortSignal): Promise<void>
  /** The printed bytes of one record, including the line end. */
  format(record: LogRecord): Buffer
}
