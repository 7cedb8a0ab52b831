import type { BinlogEvent } from './binlog-event.ts'
import type { BinlogReader } from './binlog-reader.ts'

/** The events of a binlog, from a connection or from a spool. */
export interface EventStream {
  /** Its fields describe the event that `next` returned last. */
  readonly reader: BinlogReader
  /** Returns the next event, or null if it has not arrived yet. */
  next(): BinlogEvent | null
  /** Waits until `next` may return an event. */
  wait(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}
