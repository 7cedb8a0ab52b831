import type { RecordFormatName } from '@tributary/connector-kit'
import type { OffsetDocument, SourceOffset } from '@tributary/connect-api'

/** A GTID set that is printed only when somebody asks: one is made for every transaction. */
export interface PrintableGtids {
  toString(): string
}

/** Where to start again: the begin of a transaction, or the event after the last one. */
export interface RestartPoint {
  readonly file: string
  readonly position: number
  /** What was executed before it; null on a server without GTIDs. */
  readonly gtids: PrintableGtids | null
}

/** What an offset says beside the place. */
export interface OffsetOrigin {
  /** Seconds since 1970 of the last event, by the server's clock. */
  readonly timestampSeconds: number
  readonly serverId: number
  /** A snapshot at this position is under way. */
  readonly isSnapshot: boolean
  /** Form of the records before it: those behind it have the same. */
  readonly recordFormat: RecordFormatName
}

/**
 * A position in the binlog, as the reference stores it: the restart point, and how much behind it is done. `event` counts the
 * events since the begin of the transaction that are done, the begin itself included; `row` the rows done of the next row
 * event. A restart reads from the restart point and passes over that many.
 *
 * Every record has one: they share what they can.
 */
export class MySqlOffset implements SourceOffset {
  readonly restart: RestartPoint
  readonly origin: OffsetOrigin
  readonly event: number
  readonly row: number

  constructor(restart: RestartPoint, origin: OffsetOrigin, event = 0, row = 0) {
    this.restart = restart
    this.origin = origin
    this.event = event
    this.row = row
  }

  /** The position behind that many events of the transaction, and rows of the next. */
  advanced(event: number, row: number): MySqlOffset {
    return new MySqlOffset(this.restart, this.origin, event, row)
  }

  /** The same position once the snapshot at it is over. */
  withoutSnapshot(): MySqlOffset {
    return new MySqlOffset(this.restart, { ...this.origin, isSnapshot: false }, this.event, this.row)
  }

  /** Keys and their order as Debezium 3.6 stores them, then our own; zero counters are left out. */
  toDocument(): OffsetDocument {
    const { file, position, gtids } = this.restart
    const { timestampSeconds, serverId, isSnapshot, recordFormat } = this.origin
    return {
      ts_sec: timestampSeconds,
      file,
      pos: position,
      ...(gtids === null ? {} : { gtids: gtids.toString() }),
      ...(isSnapshot ? { snapshot: 'INITIAL' } : {}),
      ...(this.row === 0 ? {} : { row: this.row }),
      ...(serverId === 0 ? {} : { server_id: serverId }),
      ...(this.event === 0 ? {} : { event: this.event }),
      // The reference has no such key, and passes over it.
      ...(recordFormat === 'v1' ? { record_format: recordFormat } : {}),
    }
  }
}

/** A stored offset, read. */
export interface StoredPosition {
  readonly file: string
  readonly position: number
  readonly gtids: string | null
  readonly event: number
  readonly row: number
  readonly timestampSeconds: number
  readonly serverId: number
  /** The snapshot that was under way had not ended. */
  readonly isSnapshotUnfinished: boolean
  /** What the records before it look like: an offset of the reference stands behind records of its own form. */
  readonly recordFormat: RecordFormatName
}

/** Reads a stored offset, also of the reference and of its older releases; null when it names no file. */
export function parseOffset(document: OffsetDocument): StoredPosition | null {
  const {
    file,
    pos,
    gtids,
    event,
    row,
    ts_sec: seconds,
    server_id: serverId,
    snapshot,
    record_format: format,
  } = document
  if (typeof file !== 'string') return null
  return {
    file,
    position: Number(pos ?? 4),
    gtids: typeof gtids === 'string' && gtids !== '' ? gtids.replaceAll(/\s/g, '') : null,
    event: Number(event ?? 0),
    row: Number(row ?? 0),
    timestampSeconds: Number(seconds ?? 0),
    serverId: Number(serverId ?? 0),
    // Releases before 3.0 wrote true; `INCREMENTAL` and `BLOCKING` come after a finished snapshot.
    recordFormat: format === 'v1' ? 'v1' : 'v2',
    isSnapshotUnfinished: snapshot === true || snapshot === 'INITIAL' || snapshot === 'true',
  }
}
