import type { LogRecord } from '@tributary/kafka'

/** How records are shown. */
export interface RecordFormat {
  /** The bytes of one record, line end included. */
  format(record: LogRecord): Buffer
}
