import type { SnapshotMarker } from '@tributary/connector-kit'

/** What is known about where an event comes from; the record format chooses what of it is told, and how. */
export interface SourceInfo {
  /** Seconds since 1970 of the change by the server's clock; 0 when not known. */
  readonly timestampSeconds: number
  /** The same in microseconds, as exactly as it is known. */
  readonly timestampMicros: number
  readonly serverId: number
  readonly gtid: string | null
  readonly file: string
  /** Where the event begins in the file. */
  readonly position: number
  /** Number of the row in the event, from 0. */
  readonly row: number
  readonly snapshot: SnapshotMarker
  readonly threadId: number | null
  readonly database: string
  readonly table: string | null
}
