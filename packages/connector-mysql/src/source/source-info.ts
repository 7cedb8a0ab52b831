import type { SnapshotMarker } from '@tributary/connector-kit'

/** What is known about the origin of an event; the record format chooses the fields of it. */
export interface SourceInfo {
  /** Seconds since 1970 of the change by the server's clock; 0 when unknown. */
  readonly timestampSeconds: number
  /** The same in microseconds, as exact as the server reports it. */
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
  /** The statement that changed the row; null when it is not asked for, or not in the binlog. */
  readonly query: string | null
}
