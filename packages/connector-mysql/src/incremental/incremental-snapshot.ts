import type { SourceRecord } from '@tributary/connect-api'
import type {
  ChangesToSkip,
  Poll,
  RecordFormat,
  SideSource,
  SnapshotNumbers,
  TableId,
  Tables,
} from '@tributary/connector-kit'
import { BackOff, type Clock, doneOr, type Logger, StoppedError, type Timer, toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { Flavor } from '../flavor/flavor.ts'
import { IncrementalProgress, type SnapshotCollection } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { SnapshotPace } from '../pace/snapshot-pace.ts'
import type { NotifySnapshot } from '../snapshot/snapshot-event.ts'
import type { BesideStream } from '../streaming/beside-stream.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { type ChunkKey, chunkKeyOf, type KeyPoint } from '../chunks/chunk-key.ts'
import { ChunkQuery } from '../chunks/chunk-query.ts'
import type { Chunk, ChunkReader } from './chunk-reader.ts'
import { ChunkWindow, type WindowTarget } from './chunk-window.ts'
import { hiddenUpdate } from './hidden-update.ts'
import { IncrementalNumbers } from './incremental-numbers.ts'
import { chunkSource, IncrementalRows } from './incremental-rows.ts'
import { RefusedTables } from './refused-tables.ts'
import { isOtherServer, isReached } from './reached-chunk.ts'
import { keyText, pointOf, stored } from './stored-keys.ts'

export interface IncrementalSnapshotOptions {
  readonly tables: Pick<Tables<MySqlTable>, 'get'>
  readonly isCaptured: (id: TableId) => boolean
  /** `message.key.columns` of a table; null: none. */
  readonly messageKeyOf: (table: MySqlTable) => readonly string[] | null
  readonly skips: ChangesToSkip
  readonly compiler: Pick<TableCompiler, 'compile'>
  readonly reader: Pick<ChunkReader, 'read' | 'hasTable' | typeof Symbol.asyncDispose>
  readonly flavor: Pick<Flavor, 'isGtidSubset'>
  readonly format: RecordFormat<SourceInfo>
  /** Whether `wake` ends the wait of an idle poll also when no table is copied. Default: false. */
  readonly wakesAlways?: boolean
  readonly numbers: SnapshotNumbers
  /** Null or absent: nothing holds it up. */
  readonly pace?: Pick<SnapshotPace, 'isHeld' | 'restMs' | 'spent' | 'rest'> | null
  readonly notify?: NotifySnapshot | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Copies tables while the stream continues. It reads one chunk after the other, each in a window:
 *
 * ```
 *  stream      … ───── P0 ─────────────────────── P ───── …
 *                      │ changes leave out rows   │ the rest of the rows
 *  window              └──── read ───── H ────────┘
 *  server      … ─────────────── S ──── H ─────── …
 * ```
 *
 * The window opens between two polls, at the position P0 of the stream. The chunk is then read from the server, as of
 * some moment S: not before P0, which `openView` ensures. H is a place in the binlog after S. Rows that the stream changes
 * in the window are left out, since it has their changes. When it has reached H, at P, the other rows are as of P, and
 * become records there.
 *
 * The progress is part of the position of each record, so a restart reads again the chunk that was not complete. A
 * chunk that cannot be read is tried again, for ever: the table is copied as a whole, or the signal to stop ends it.
 *
 * Called by the loop of the task: `poll` and `reached` between the changes of the stream, `note` within them.
 */
export class IncrementalSnapshot implements SideSource, BesideStream {
  readonly #options: IncrementalSnapshotOptions
  readonly #numbers: IncrementalNumbers
  readonly #refused = new RefusedTables()
  readonly #stop = new AbortController()
  readonly #backOff = new BackOff({ initialMs: 500, maxMs: 30_000 })
  #progress: IncrementalProgress = IncrementalProgress.none
  /** Null before the first poll of the stream. */
  #position: StreamPosition | null = null
  #window: ChunkWindow | null = null
  /** While a chunk is being read. */
  #reading: Promise<void> | null = null
  #failure: Error | null = null
  /** A table that the server does not have. */
  #gone: TableId | null = null
  #retryMs = 0
  #rowsOfTable = 0
  #named: { readonly collections: IncrementalProgress['collections']; readonly names: string } = NOT_NAMED
  /** How often the current chunk had to be read again. */
  #rereads = 0
  /** A chunk that was read, and that the stream has not reached. */
  #waiting: { readonly window: ChunkWindow; readonly sinceMs: number; isLogged: boolean } | null = null
  /** Ends the wait of an idle poll. */
  #wake: (() => void) | null = null
  /** When the limit of rows per second permits the next chunk. */
  #rest: Timer | null = null
  /** Offsets have to be stored, even when there are no records. */
  #isUnreported = false

  constructor(options: IncrementalSnapshotOptions) {
    this.#options = options
    this.#numbers = new IncrementalNumbers(options.numbers, options.clock)
  }

  /** The stream begins at a position with that progress. */
  begin(progress: IncrementalProgress): void {
    this.#progress = progress
    this.#numbers.follow(progress)
  }

  get progress(): IncrementalProgress {
    return this.#progress
  }

  /** Null before the stream has begun. */
  get position(): StreamPosition | null {
    return this.#position
  }

  /** A chunk is being read, or waits for the stream. */
  get isReading(): boolean {
    return this.#window !== null
  }

  /** Nothing is copied, and nothing has to be stored. */
  get isQuiet(): boolean {
    const isDone = this.#window === null && this.#reading === null && this.#failure === null && this.#gone === null
    return isDone && !this.#isUnreported && !this.#progress.isActive
  }

  /** Sets the progress after a signal. */
  change(progress: IncrementalProgress): void {
    if (progress === this.#progress) return
    if (progress.collections[0] !== this.#progress.collections[0]) {
      this.#window?.spoil()
      this.#rowsOfTable = 0
      this.#retryMs = 0
    }
    this.#progress = progress
    this.#numbers.follow(progress)
    this.#isUnreported = true
    this.wake()
  }

  /** The progress is stored, even when there are no records. */
  requestReport(): void {
    this.#isUnreported = true
  }

  wake(): void {
    this.#wake?.()
  }

  async poll(poll: Poll, isInTransaction: boolean): Promise<void> {
    const position = this.#position
    if (position === null || isInTransaction || position.isInTransaction) return
    await this.report(poll, isInTransaction)
    if (this.#failure !== null) this.#fail(this.#failure)
    if (this.#gone !== null) this.#leaveOut(this.#gone, 'was dropped')
    this.#gone = null
    const window = this.#window
    if (window === null) this.#beginChunk(position)
    else if (window.chunk !== null) await this.#continue(window, window.chunk, position, poll)
    else if (window.changedCount > CHANGED_MAX && this.#reading !== null) await doneOr(this.#reading, poll.signal)
  }

  /** The stream has made records of a change of that table. */
  note(table: TableId, records: readonly SourceRecord[], first: number): void {
    const window = this.#window
    if (window !== null && window.target.table.table.id === table) window.note(records, first)
  }

  /** The stream has reached a statement about these tables; null: it may be about any. */
  noteStatement(tables: ReadonlySet<TableId> | null): void {
    const window = this.#window
    if (window !== null && (tables === null || tables.has(window.target.table.table.id))) window.spoil()
  }

  reached(position: StreamPosition, poll: Poll): void {
    this.#position = position
    this.#window?.endPoll(poll.records)
  }

  isDue(position: StreamPosition): boolean {
    if (position.isInTransaction) return false
    if (this.#failure !== null || this.#gone !== null || this.#isUnreported) return true
    const window = this.#window
    if (window === null) return this.#mayBegin()
    return window.chunk !== null && (window.isSpoilt || isReached(window.chunk, position, this.#options.flavor))
  }

  async whileIdle<T>(wait: (signal: AbortSignal) => Promise<T>, limit: AbortSignal): Promise<T> {
    // Otherwise the next poll is soon enough, and a busy stream waits thousands of times in a second.
    if (!this.#progress.isActive && this.#options.wakesAlways !== true) return wait(limit)
    const woken = new AbortController()
    const onLimit = (): void => woken.abort()
    limit.addEventListener('abort', onLimit, { once: true })
    if (limit.aborted) woken.abort()
    this.#wake = onLimit
    try {
      return await wait(woken.signal)
    } finally {
      this.#wake = null
      limit.removeEventListener('abort', onLimit)
    }
  }

  /** Ends the reading of a chunk. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#reading
    this.#rest?.cancel()
    await this.#options.reader[Symbol.asyncDispose]()
  }

  /** Has what was changed stored. Returns whether there was anything, and the stream is between transactions. */
  async report(poll: Poll, isInTransaction: boolean): Promise<boolean> {
    const position = this.#position
    if (!this.#isUnreported || position === null || isInTransaction || position.isInTransaction) return false
    this.#isUnreported = false
    await poll.handle({ tag: 'progress', position: position.withIncremental(this.#progress), isMilestone: true })
    return true
  }

  #mayBegin(): boolean {
    const { isActive, isPaused } = this.#progress
    const { clock, pace } = this.#options
    if (!isActive || isPaused || this.#reading !== null || clock.monotonicMs() < this.#retryMs) return false
    return pace?.isHeld !== true
  }

  #beginChunk(position: StreamPosition): void {
    const [collection] = this.#progress.collections
    if (collection === undefined || !this.#mayBegin()) return
    const found = this.#find(collection)
    if (found === null) return
    const { table, key } = found
    if (table.refusal !== null) {
      this.#fail(table.refusal)
      return
    }
    const query = new ChunkQuery(table.table, key)
    const after = pointOf(query, key, this.#progress.last)
    // A key of another definition, or of a form that is not known: the table starts again.
    const maximum = after === null && this.#progress.last !== null ? null : pointOf(query, key, this.#progress.maximum)
    if (after === null && maximum === null) {
      this.#rowsOfTable = 0
      this.#numbers.restart(collection.id)
      this.#options.logger.info(`Incremental snapshot of table '${collection.id.toString()}' begins`)
    }
    const window = new ChunkWindow({ table, key, after })
    this.#window = window
    const signature = after === null ? null : (this.#progress.last?.signature ?? null)
    const { condition } = collection
    // Once for each table of this run. A condition may select any part of the rows.
    const estimates = condition === null && this.#numbers.isUnestimated(collection.id) ? this.#numbers.unestimated : []
    const request = { table, key, after, maximum, condition, signature, handled: position, estimates }
    this.#readBeside(this.#options.reader.read(request, this.#stop.signal).then((chunk) => this.#fill(window, chunk)))
  }

  #fill(window: ChunkWindow, chunk: Chunk): void {
    for (const [name, rows] of chunk.estimates) this.#numbers.estimate(name, rows)
    window.fill(chunk)
    const { pace, clock } = this.#options
    if (pace === null || pace === undefined) return
    pace.spent(chunk.rows.length, chunk.bytes)
    const { restMs } = pace
    this.#rest?.cancel()
    // The poll of a quiet stream would end only after the poll interval. A timer may run a fraction too early.
    this.#rest = restMs > 0 ? clock.after(Math.ceil(restMs) + 1, () => this.wake()) : null
  }

  #readBeside(work: Promise<void>): void {
    this.#reading = work
      .catch((error: unknown) => {
        this.#failure = toError(error)
      })
      .finally(() => {
        this.#reading = null
        this.wake()
      })
  }

  /** Null: the table cannot be copied at all, and was left out. */
  #find({ id, surrogateKey: surrogate }: SnapshotCollection): Pick<WindowTarget, 'table' | 'key'> | null {
    const { tables, isCaptured, compiler, messageKeyOf, reader, skips } = this.#options
    if (!isCaptured(id)) {
      this.#leaveOut(id, 'is not captured')
      return null
    }
    const definition = tables.get(id)
    if (definition === undefined) {
      const search = reader.hasTable(id, this.#stop.signal).then((isThere) => {
        if (!isThere) this.#gone = id
        else this.#failure = connectorErrors.INCREMENTAL_OTHER_DEFINITION({ table: id.toString(), what: UNKNOWN })
      })
      this.#readBeside(search)
      return null
    }
    const choice = chunkKeyOf(definition, { surrogate, messageKey: messageKeyOf(definition) })
    if (choice.tag === 'none') {
      this.#refuse(id, choice.reason)
      return null
    }
    const table = compiler.compile(definition)
    const hidden = hiddenUpdate(table, choice.key, skips)
    if (hidden !== null) {
      this.#refuse(id, hidden)
      return null
    }
    return { table, key: choice.key }
  }

  /** The rows cannot be read in chunks. Those of an initial snapshot must not be missing without anybody's decision. */
  #refuse(id: TableId, reason: string): void {
    const isInitial = this.#progress.collections[0]?.isInitial === true
    const later = isInitial ? this.#refused.postpone(this.#progress, reason, this.#options.logger) : null
    if (!isInitial) this.#leaveOut(id, reason, 'NO_PRIMARY_KEY', this.#progress.withoutFirst())
    else if (later === null) this.#fail(connectorErrors.SNAPSHOT_COPY_WITHOUT_KEY({ table: id.toString(), reason }))
    else this.change(later)
  }

  #leaveOut(
    id: TableId,
    reason: string,
    status = 'UNKNOWN_SCHEMA',
    rest = this.#progress.without(new Set([id])),
  ): void {
    this.#options.logger.error(
      `The incremental snapshot leaves out the table '${id.toString()}', of which no row is copied: it ${reason}`,
    )
    this.#notifyScanned(id, { rows: 0, status })
    this.#numbers.end(id)
    this.change(rest)
    this.#logEnd()
  }

  #notifyScanned(id: TableId, { rows, status }: { readonly rows: number; readonly status: string }): void {
    this.#options.notify?.('TABLE_SCAN_COMPLETED', {
      data_collections: this.#names,
      scanned_collection: id.toString(),
      total_rows_scanned: String(rows),
      status,
    })
  }

  get #names(): string {
    const { collections } = this.#progress
    // There may be thousands, and each chunk has a notification.
    if (this.#named.collections !== collections) {
      this.#named = { collections, names: collections.map(({ id }) => id.toString()).join(',') }
    }
    return this.#named.names
  }

  #logEnd(): void {
    if (this.#progress.isActive) return
    this.#options.pace?.rest()
    this.#options.logger.info('The incremental snapshot is complete')
    this.#options.notify?.('COMPLETED')
    this.#isUnreported = true
    this.wake()
  }

  async #continue(window: ChunkWindow, chunk: Chunk, position: StreamPosition, poll: Poll): Promise<void> {
    const { table, key, after } = window.target
    if (window.isSpoilt || this.#options.tables.get(table.table.id) !== table.table || isOtherServer(chunk, position)) {
      this.#window = null
      this.#noteReread(table.table.id)
      this.#beginChunk(position)
      return
    }
    if (chunk.isOtherOrder) {
      this.#window = null
      this.#options.logger.warn(
        `The key of '${table.table.id.toString()}' was altered: its incremental snapshot begins again`,
      )
      this.change(this.#progress.withKeys(null, null))
      this.#beginChunk(position)
      return
    }
    if (!isReached(chunk, position, this.#options.flavor)) {
      this.#noteWaiting(window, chunk, position)
      return
    }
    const rows = window.take(ROWS_PER_POLL_MAX)
    const isComplete = window.isEmpty
    const before = this.#progress
    if (isComplete) {
      this.#window = null
      this.#advance(key, chunk)
      this.#backOff.reset()
      this.#rereads = 0
      this.#options.logger.outages?.ended(ACTIVITY)
    }
    if (rows.length === 0) {
      if (chunk.upTo === null) this.#isUnreported = true
    } else {
      this.#rowsOfTable += rows.length
      this.#numbers.add(table.table.id, rows.length)
      const { nowMicros } = poll
      const source = chunkSource(this.#options.format, { id: table.table.id, chunk, position, nowMicros })
      // In a slice that is not the last one, the offset stays before the chunk.
      const offsetBefore = position.withIncremental(before)
      const offset = position.withIncremental(this.#progress)
      const change = new IncrementalRows({ table, rows, source, offsetBefore, offset })
      const waiting = poll.handle({ tag: 'rows', rows: change, position: offset })
      if (waiting !== null) await waiting
    }
    if (isComplete && chunk.upTo === null) this.#finish(table.table.id, after)
    await this.report(poll, false)
    if (isComplete) this.#beginChunk(position)
  }

  /** A stream that lags by hours reaches every chunk after hours: the log has why nothing seems to happen. */
  #noteWaiting(window: ChunkWindow, { place }: Chunk, position: StreamPosition): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (this.#waiting?.window !== window) this.#waiting = { window, sinceMs: nowMs, isLogged: false }
    const { sinceMs, isLogged } = this.#waiting
    if (isLogged || nowMs - sinceMs < WAITING_MS_MAX) return
    this.#waiting.isLogged = true
    this.#options.logger.warn(
      `The rows of a chunk of '${window.target.table.table.id.toString()}' have waited for ${Math.round((nowMs - sinceMs) / 60_000)} minutes: the stream is at ${position.describe()}, and they were read at ${place.gtids ?? `${place.file}:${place.position}`}`,
    )
  }

  #noteReread(id: TableId): void {
    this.#rereads += 1
    this.#retryMs = this.#options.clock.monotonicMs() + Math.min(REREAD_PAUSE_MS_MAX, this.#rereads * 5)
    if (!/^10+$/.test(String(this.#rereads))) return
    this.#options.logger.warn(
      `A chunk of the incremental snapshot of '${id.toString()}' was read ${this.#rereads} times, since the table was changed each time: its events do not contain its primary key, or it has none. A smaller incremental.snapshot.chunk.size, or a time with fewer changes, ends that`,
    )
  }

  #advance(key: ChunkKey, { upTo, maximum, signature }: Chunk): void {
    const [collection] = this.#progress.collections
    if (collection === undefined) return
    if (upTo === null) {
      const rows = this.#rowsOfTable
      this.#numbers.end(collection.id)
      this.#notifyScanned(collection.id, { rows, status: maximum === null ? 'EMPTY' : 'SUCCEEDED' })
    } else {
      this.#options.notify?.('IN_PROGRESS', {
        data_collections: this.#names,
        current_collection_in_progress: collection.id.toString(),
        maximum_key: keyText(maximum),
        last_processed_key: keyText(upTo),
      })
    }
    this.#progress =
      upTo === null
        ? this.#progress.withoutFirst()
        : this.#progress.withKeys(
            stored(key, upTo, signature),
            maximum === null ? null : stored(key, maximum, signature),
          )
    if (upTo === null) this.#numbers.follow(this.#progress)
  }

  #finish(id: TableId, after: KeyPoint | null): void {
    const { logger } = this.#options
    const rows = after === null && this.#rowsOfTable === 0 ? 'it has none' : `${this.#rowsOfTable} since the last start`
    logger.info(`Incremental snapshot of table '${id.toString()}' is complete (rows: ${rows})`)
    this.#logEnd()
    this.#rowsOfTable = 0
  }

  #fail(error: Error): void {
    this.#failure = null
    this.#window = null
    if (error instanceof StoppedError) return
    const { logger, clock } = this.#options
    const pauseMs = this.#backOff.next()
    this.#retryMs = clock.monotonicMs() + pauseMs
    const [collection] = this.#progress.collections
    logger.outages?.failed(ACTIVITY, error, pauseMs)
    logger.warn(
      `A chunk of the incremental snapshot of '${collection?.id.toString() ?? '?'}' could not be read; it is read again in ${pauseMs} ms, and a stop-snapshot signal ends that`,
      { error },
    )
  }
}

const UNKNOWN = 'its definition at the position of the stream is not known'
/** Limits how often the chunk of a table that changes constantly is read again. */
const REREAD_PAUSE_MS_MAX = 1_000
const WAITING_MS_MAX = 5 * 60_000
const NOT_NAMED = { collections: [], names: '' }
const ACTIVITY = 'reading the incremental snapshot'
/** Rows of one poll live until they are sent. */
const ROWS_PER_POLL_MAX = 1_024
/** A few megabytes. A stream that changes more rows meanwhile waits for the chunk. */
const CHANGED_MAX = 50_000
