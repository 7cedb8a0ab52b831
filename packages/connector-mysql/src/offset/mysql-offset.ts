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
  /** Of the transaction that begins there and is under way; null when none is, or without GTIDs. */
  readonly transaction: PrintableGtids | null
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
  /** The server whose file, position and counters these are, as `ServerInfo` names it; null: not known. */
  readonly serverIdentity: string | null
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
    const { timestampSeconds, serverId, isSnapshot } = this.origin
    return {
      ts_sec: timestampSeconds,
      file,
      pos: position,
      ...(gtids === null ? {} : { gtids: gtids.toString() }),
      ...(isSnapshot ? { snapshot: 'INITIAL' } : {}),
      ...(this.row === 0 ? {} : { row: this.row }),
      ...(serverId === 0 ? {} : { server_id: serverId }),
      ...(this.event === 0 ? {} : { event: this.event }),
      ...this.#ownKeys(),
    }
  }

  /**
   * Keys that the reference does not have, and passes over. Which server it is matters where a file and a position, or counters
   * of events, stand for themselves: another server's mean something else.
   */
  #ownKeys(): OffsetDocument {
    const { recordFormat, serverIdentity } = this.origin
    if (recordFormat !== 'v1') return {}
    const { gtids, transaction } = this.restart
    const isInside = this.event > 0 || this.row > 0
    return {
      ...(serverIdentity !== null && (isInside || gtids === null) ? { server_identity: serverIdentity } : {}),
      ...(transaction !== null && isInside ? { transaction_gtid: transaction.toString() } : {}),
      record_format: recordFormat,
    }
  }
}

/** A stored offset, read. */
export interface StoredPosition {
  readonly file: string
  readonly position: number
  readonly gtids: string | null
  /** The transaction that `event` and `row` count in; null: not known. */
  readonly transaction: string | null
  readonly event: number
  readonly row: number
  readonly timestampSeconds: number
  readonly serverId: number
  /** The snapshot that was under way had not ended. */
  readonly isSnapshotUnfinished: boolean
  /** What the records before it look like: an offset of the reference stands behind records of its own form. */
  readonly recordFormat: RecordFormatName
  /** The server that it was stored of; null: not known. */
  readonly serverIdentity: string | null
}

/** The offset that stands for a stored position; a snapshot is not under way at it. */
export function offsetAt(stored: StoredPosition): MySqlOffset {
  const { file, position, gtids, transaction, event, row } = stored
  const { timestampSeconds, serverId, recordFormat, serverIdentity } = stored
  return new MySqlOffset(
    { file, position, gtids, transaction },
    { timestampSeconds, serverId, isSnapshot: false, recordFormat, serverIdentity },
    event,
    row,
  )
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
    server_identity: identity,
    transaction_gtid: transaction,
  } = document
  if (typeof file !== 'string') return null
  return {
    file,
    position: Number(pos ?? 4),
    gtids: typeof gtids === 'string' && gtids !== '' ? gtids.replaceAll(/\s/g, '') : null,
    transaction: typeof transaction === 'string' ? transaction : null,
    event: Number(event ?? 0),
    row: Number(row ?? 0),
    timestampSeconds: Number(seconds ?? 0),
    serverId: Number(serverId ?? 0),
    recordFormat: format === 'v1' ? 'v1' : 'v2',
    serverIdentity: typeof identity === 'string' ? identity : null,
    // Releases before 3.0 wrote true; `INCREMENTAL` and `BLOCKING` come after a finished snapshot.
    isSnapshotUnfinished: snapshot === true || snapshot === 'INITIAL' || snapshot === 'true',
  }
}
