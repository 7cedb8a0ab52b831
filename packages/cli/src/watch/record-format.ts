import type { LogRecord } from '@tributary/kafka'

/** How records are shown. */
export interface RecordFormat {
  /** Gets what the records need from elsewhere, such as their schemas; called before `format`. */
  prepare?(records: readonly LogRecord[], signal: AbortSignal): Promise<void>
  /** The bytes of one record, line end included. */
  format(record: LogRecord): Buffer
}
