import type { OffsetDocument, SourceOffset } from '@tributary/connect-api'
import type { RecordFormatName } from '@tributary/connector-kit'
import { connectorErrors } from '../errors.ts'
import { SnapshotProgress } from './snapshot-progress.ts'
import type { BinlogFile } from './binlog-file.ts'
import { IncrementalProgress } from './incremental-progress.ts'
import { StoppedTables } from './stopped-tables.ts'
import {
  type ExecutedGtids,
  type Printable,
  StoredGtids,
  type TransactionGtid,
  TransactionName,
} from './executed-gtids.ts'

/**
 * Where a reader can start: the start of a transaction, or the end of the last one. All positions in a transaction share
 * one object.
 */
export interface RestartPoint {
  readonly file: BinlogFile
  readonly position: number
  /** What was executed before it; null on a server without GTIDs. */
  readonly gtids: ExecutedGtids | null
  /** The transaction that begins there and is in progress; null between transactions, or without GTIDs. */
  readonly transaction: Printable | null
  /**
   * The transaction is one compressed event. Debezium counts no events inside one, so it must not see our counters: it
   * would apply them to later transactions. From the restart point alone it reads this one again.
   */
  readonly isPayload: boolean
  /** The stream reached it by an event of its present connection, so file and position are those of that server. */
  readonly isOfConnection: boolean
}

/** The facts of a position that do not change with each event. All positions of a second share one object. */
export interface PositionOrigin {
  /** Seconds since 1970 of the last event, by the server's clock. */
  readonly timestampSeconds: number
  readonly serverId: number
  /** A snapshot at this position has begun and not ended. */
  readonly isSnapshotUnfinished: boolean
  /** Form of the records before it: those after it have the same. */
  readonly recordFormat: RecordFormatName
  /** The server whose file, position and counters these are, as `ServerInfo` names it; null when unknown. */
  readonly serverIdentity: string | null
  /**
   * Whether the counters count statements of rows. MariaDB sends those events only when asked. Absent: no; null: unknown,
   * as in an offset of Debezium.
   */
  readonly countsStatements?: boolean | null
  /** Tables whose rows are left out, since their definitions are not known. Absent: none. */
  readonly stopped?: StoppedTables
  /** How far the snapshot at this position is. Absent or null: not known, or there is none. */
  readonly snapshotProgress?: SnapshotProgress | null
  /** The lists of captured tables that it was written under, as `capturedListsOf` has them. Absent or null: not known. */
  readonly capturedLists?: string | null
  /** The incremental snapshot that runs while the position moves. Absent: there is none, and no signal to remember. */
  readonly incremental?: IncrementalProgress
  /** Where the binlog of the server ended when the stream connected. Absent or null: not known. */
  readonly binlogEnd?: LogPlace | null
}

/** A place in the binlog of a server. */
export interface LogPlace {
  readonly file: string
  readonly position: number
}

/** A number of a stored offset, null when it has none. A user may have written it by hand. */
function integerOf(document: OffsetDocument, key: string): number | null {
  const value = document[key]
  if (value === undefined || value === null) return null
  const number = typeof value === 'boolean' ? Number.NaN : Number(value)
  if (Number.isSafeInteger(number) && number >= 0 && value !== '') return number
  throw connectorErrors.OFFSET_UNREADABLE({ key, value: JSON.stringify(String(value)) })
}

/** A place that a server reports as its own. */
export interface StartPlace {
  readonly file: BinlogFile
  readonly position: number
  readonly gtids: ExecutedGtids | null
}

/**
 * A position in the binlog: the one type from the stored offset through snapshot, stream and schema history back to the
 * offset of each record. It never changes; what advances it returns a new position, which shares the restart point and
 * the origin where they are the same. So a position per record costs one object of four fields.
 *
 * ```
 *  restart point ─▶ BEGIN · TABLE_MAP · ROWS(row, row, row) · … · XID ─▶ next restart point
 *  event                1        2        (row 1 … 3)     3
 * ```
 *
 * `event` counts the events of the transaction that are done, its begin included: it is 0 exactly between transactions.
 * `row` counts the rows that are done of the event after them. A server can start to send only at a restart point, so a
 * restart reads from there and skips that many events and rows (`ResumeSkip`).
 */
export class StreamPosition implements SourceOffset {
  readonly restart: RestartPoint
  readonly origin: PositionOrigin
  readonly event: number
  readonly row: number

  private constructor(restart: RestartPoint, origin: PositionOrigin, event: number, row: number) {
    this.restart = restart
    this.origin = origin
    this.event = event
    this.row = row
  }

  static at({ file, position, gtids }: StartPlace, origin: PositionOrigin): StreamPosition {
    const restart = { file, position, gtids, transaction: null, isPayload: false, isOfConnection: false }
    return new StreamPosition(restart, origin, 0, 0)
  }

  /**
   * Reads a stored offset, also one of Debezium and of its older releases; null when it names no file.
   *
   * @throws OFFSET_UNREADABLE
   */
  static parse(document: OffsetDocument): StreamPosition | null {
    const { file, gtids, transaction_gtid: transaction, snapshot } = document
    if (typeof file !== 'string') return null
    const [payloadEvent, payloadRow] = [integerOf(document, 'payload_event'), integerOf(document, 'payload_row')]
    const restart: RestartPoint = {
      file: { name: file, createdSeconds: integerOf(document, 'file_created') },
      position: integerOf(document, 'pos') ?? 4,
      gtids: typeof gtids === 'string' && gtids !== '' ? new StoredGtids(gtids.replaceAll(/\s/g, '')) : null,
      transaction: typeof transaction === 'string' ? transaction : null,
      isPayload: payloadEvent !== null || payloadRow !== null,
      isOfConnection: false,
    }
    const { record_format: format, server_identity: identity, counts_statements: counts } = document
    const incremental = IncrementalProgress.parse(document)
    const origin: PositionOrigin = {
      timestampSeconds: integerOf(document, 'ts_sec') ?? 0,
      serverId: integerOf(document, 'server_id') ?? 0,
      // Releases before 3.0 wrote true; `INCREMENTAL` and `BLOCKING` follow a finished snapshot.
      isSnapshotUnfinished:
        !incremental.isInitial && (snapshot === true || snapshot === 'INITIAL' || snapshot === 'true'),
      // An offset without the field was written by Debezium, after records of its own form.
      recordFormat: format === 'v1' ? 'v1' : 'v2',
      serverIdentity: typeof identity === 'string' ? identity : null,
      countsStatements: counts === true ? true : typeof identity === 'string' ? false : null,
      stopped: StoppedTables.parse(document['stopped_tables']),
      incremental,
      snapshotProgress: SnapshotProgress.parse(document[PROGRESS]),
      capturedLists: typeof document[LISTS] === 'string' ? document[LISTS] : null,
    }
    const event = payloadEvent ?? integerOf(document, 'event') ?? 0
    return new StreamPosition(restart, origin, event, payloadRow ?? integerOf(document, 'row') ?? 0)
  }

  get file(): string {
    return this.restart.file.name
  }

  get position(): number {
    return this.restart.position
  }

  /** What was executed before the restart point, as text; null on a server without GTIDs. */
  get gtids(): string | null {
    const { gtids } = this.restart
    return gtids === null ? null : gtids.toString()
  }

  /** The last transaction before the restart point by its GTID; null when it is not known. */
  get lastTransaction(): string | null {
    return this.restart.gtids?.last ?? null
  }

  /** The transaction that `event` and `row` count in, as text; null when unknown. */
  get transaction(): string | null {
    const { transaction } = this.restart
    return transaction === null ? null : transaction.toString()
  }

  get timestampSeconds(): number {
    return this.origin.timestampSeconds
  }

  /** Null when the last event has no time. */
  get changedAtMs(): number | null {
    const { timestampSeconds } = this.origin
    return timestampSeconds === 0 ? null : timestampSeconds * 1000
  }

  /** Exact with GTIDs of MySQL, otherwise in whole seconds. Null in a snapshot. */
  get committedAtMs(): number | null {
    if (this.origin.isSnapshotUnfinished) return null
    const { transaction } = this.restart
    const micros = transaction instanceof TransactionName ? transaction.committedMicros : null
    return micros === null ? this.changedAtMs : micros / 1000
  }

  get serverId(): number {
    return this.origin.serverId
  }

  get isSnapshotUnfinished(): boolean {
    return this.origin.isSnapshotUnfinished
  }

  get recordFormat(): RecordFormatName {
    return this.origin.recordFormat
  }

  get serverIdentity(): string | null {
    return this.origin.serverIdentity
  }

  get stopped(): StoppedTables {
    return this.origin.stopped ?? StoppedTables.none
  }

  /** How far the snapshot at this position is; null: not known, or there is none. */
  get snapshotProgress(): SnapshotProgress | null {
    return this.isSnapshotUnfinished ? (this.origin.snapshotProgress ?? null) : null
  }

  get capturedLists(): string | null {
    return this.origin.capturedLists ?? null
  }

  get incremental(): IncrementalProgress {
    return this.origin.incremental ?? IncrementalProgress.none
  }

  /** Whether the stream has begun, and tables of the initial snapshot are copied beside it. */
  get isInitialCopy(): boolean {
    return !this.isSnapshotUnfinished && this.incremental.isInitial
  }

  get isInTransaction(): boolean {
    return this.event > 0
  }

  /** True also for positions whose times differ. */
  isSamePlace(other: StreamPosition): boolean {
    const { restart, event, row } = this
    return (
      restart.file.name === other.restart.file.name &&
      restart.position === other.restart.position &&
      event === other.event &&
      row === other.row
    )
  }

  /** Compares the counters of two positions of one transaction. */
  isEarlierInTransaction(other: StreamPosition): boolean {
    return this.event === other.event ? this.row < other.row : this.event < other.event
  }

  /** The restart point itself, where nothing of the transaction is done. */
  atRestart(): StreamPosition {
    if (this.event === 0 && this.row === 0) return this
    return new StreamPosition({ ...this.restart, transaction: null, isPayload: false }, this.origin, 0, 0)
  }

  /**
   * The same position for a reader that counts statements of rows, or does not. Counters of the other kind do not apply:
   * the transaction is read again from its begin then.
   */
  counting(statements: boolean): StreamPosition {
    const counts = this.origin.countsStatements === undefined ? false : this.origin.countsStatements
    const { restart, origin, event, row } = counts === null || counts === statements ? this : this.atRestart()
    return new StreamPosition(restart, { ...origin, countsStatements: statements }, event, row)
  }

  /**
   * The same position once a connection to the server of that identity is open.
   *
   * @param binlogEnd where its binlog ended then
   */
  onServer(
    gtids: ExecutedGtids | null,
    serverIdentity: string | null,
    binlogEnd: LogPlace | null = null,
  ): StreamPosition {
    const origin = { ...this.origin, serverIdentity, isSnapshotUnfinished: false, snapshotProgress: null, binlogEnd }
    const { file } = this.restart
    // Another server has other files of the same names.
    const here = serverIdentity === this.serverIdentity ? file : { name: file.name, createdSeconds: null }
    return new StreamPosition(
      { ...this.restart, file: here, gtids, isOfConnection: false },
      origin,
      this.event,
      this.row,
    )
  }

  /** The same position, after the server has described its file. */
  inFile(file: BinlogFile): StreamPosition {
    return new StreamPosition({ ...this.restart, file }, this.origin, this.event, this.row)
  }

  /** The same position once the snapshot at it is over. */
  afterSnapshot(): StreamPosition {
    if (!this.origin.isSnapshotUnfinished) return this
    const origin = { ...this.origin, isSnapshotUnfinished: false, snapshotProgress: null }
    return new StreamPosition(this.restart, origin, this.event, this.row)
  }

  /** The same position for a server without GTIDs, which reads it by file. */
  withoutGtids(): StreamPosition {
    if (this.restart.gtids === null) return this
    return new StreamPosition({ ...this.restart, gtids: null }, this.origin, this.event, this.row)
  }

  /** The same position with these tables stopped. */
  withStopped(stopped: StoppedTables): StreamPosition {
    return new StreamPosition(this.restart, { ...this.origin, stopped }, this.event, this.row)
  }

  /** The same position, at which the snapshot is that far. */
  withSnapshotProgress(snapshotProgress: SnapshotProgress | null): StreamPosition {
    return new StreamPosition(this.restart, { ...this.origin, snapshotProgress }, this.event, this.row)
  }

  /** The same position, written under these lists of captured tables. */
  withCapturedLists(capturedLists: string | null): StreamPosition {
    if (capturedLists === this.capturedLists) return this
    return new StreamPosition(this.restart, { ...this.origin, capturedLists }, this.event, this.row)
  }

  /** The same position with that progress of the incremental snapshot. */
  withIncremental(incremental: IncrementalProgress): StreamPosition {
    if (incremental === this.incremental) return this
    return new StreamPosition(this.restart, { ...this.origin, incremental }, this.event, this.row)
  }

  /**
   * With time and origin of an event. Events that the server makes up for the reader have no time and change nothing.
   */
  observed(timestampSeconds: number, serverId: number): StreamPosition {
    const { origin } = this
    if (timestampSeconds === 0 || (timestampSeconds === origin.timestampSeconds && serverId === origin.serverId)) {
      return this
    }
    return new StreamPosition(this.restart, { ...origin, timestampSeconds, serverId }, this.event, this.row)
  }

  /**
   * After the event at that place, which begins a transaction.
   *
   * @param isPayload the transaction is one compressed event
   */
  afterBegin(file: BinlogFile, position: number, transaction: Printable | null, isPayload: boolean): StreamPosition {
    const restart = { file, position, gtids: this.restart.gtids, transaction, isPayload, isOfConnection: true }
    return new StreamPosition(restart, this.origin, 1, 0)
  }

  /** After another event of the transaction. */
  afterEvent(): StreamPosition {
    return new StreamPosition(this.restart, this.origin, this.event + 1, 0)
  }

  /** After that many rows of the next event. */
  afterRows(row: number): StreamPosition {
    return new StreamPosition(this.restart, this.origin, this.event, row)
  }

  /** After the transaction or statement that ends there. `gtid` null: it has none. */
  afterCommit(file: BinlogFile, position: number, gtid: TransactionGtid | null): StreamPosition {
    const { gtids } = this.restart
    const executed = gtid === null || gtids === null ? gtids : gtids.with(gtid)
    return new StreamPosition(
      { file, position, gtids: executed, transaction: null, isPayload: false, isOfConnection: true },
      this.origin,
      0,
      0,
    )
  }

  /** Outside a transaction, after an event that ends there: nothing before that place is needed again. */
  movedTo(file: BinlogFile, position: number): StreamPosition {
    return this.afterCommit(file, position, null)
  }

  /** Keys and their order as Debezium 3.6 stores them, then our own; zero counters are left out. */
  toDocument(): OffsetDocument {
    const { file, position, gtids, isPayload } = this.restart
    const { timestampSeconds, serverId, isSnapshotUnfinished } = this.origin
    return {
      ts_sec: timestampSeconds,
      file: file.name,
      pos: position,
      ...(gtids === null ? {} : { gtids: gtids.toString() }),
      ...(isSnapshotUnfinished ? { snapshot: 'INITIAL' } : {}),
      ...(this.row === 0 || isPayload ? {} : { row: this.row }),
      ...(serverId === 0 ? {} : { server_id: serverId }),
      ...(this.event === 0 || isPayload ? {} : { event: this.event }),
      ...this.incremental.toDocument(),
      ...this.#ownKeys(),
    }
  }

  /** The schema history compares positions; it needs no proof of the server. */
  toHistoryDocument(): OffsetDocument {
    const {
      server_identity: _,
      file_created: __,
      [LISTS]: ___,
      [PROGRESS]: ____,
      ...document
    } = this.withIncremental(IncrementalProgress.none).toDocument()
    return document
  }

  /**
   * Keys that Debezium does not have, and ignores. The identity of the server and the creation time of the file prove
   * at the next connection that its binlog is the one that was read.
   */
  #ownKeys(): OffsetDocument {
    const { recordFormat, serverIdentity, countsStatements } = this.origin
    const { file, transaction, isPayload } = this.restart
    const isInside = this.event > 0 || this.row > 0
    return {
      ...(serverIdentity === null ? {} : { server_identity: serverIdentity }),
      ...(file.createdSeconds === null ? {} : { file_created: file.createdSeconds }),
      ...(isPayload && this.event > 0 ? { payload_event: this.event } : {}),
      ...(isPayload && this.row > 0 ? { payload_row: this.row } : {}),
      ...(recordFormat === 'v1' && transaction !== null && isInside
        ? { transaction_gtid: transaction.toString() }
        : {}),
      ...(recordFormat === 'v1' ? { record_format: recordFormat } : {}),
      ...(countsStatements === true && isInside ? { counts_statements: true } : {}),
      ...(this.snapshotProgress === null ? {} : { [PROGRESS]: this.snapshotProgress.toString() }),
      ...(this.capturedLists === null ? {} : { [LISTS]: this.capturedLists }),
      ...(this.stopped.size === 0 ? {} : { stopped_tables: this.stopped.toString() }),
    }
  }

  /** For log lines and errors: where reading starts, and what of it is skipped. */
  describe(): string {
    const { file, position, gtids, event, row } = this
    const skipped = event > 0 || row > 0 ? `, skipping ${event} events plus ${row} rows` : ''
    return `${file}:${position}${gtids === null ? '' : ` (GTIDs ${gtids})`}${skipped}`
  }
}

const LISTS = 'captured_lists'
const PROGRESS = 'snapshot_progress'
