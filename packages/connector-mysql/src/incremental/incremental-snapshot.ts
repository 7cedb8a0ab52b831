import type { SourceRecord } from '@tributary/connect-api'
import type { Poll, RecordFormat, SideSource, SnapshotNumbers, TableId } from '@tributary/connector-kit'
import {
  BackOff,
  type Clock,
  doneOr,
  type Logger,
  StoppedError,
  type Timer,
  toError,
  unreachable,
} from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { Flavor } from '../flavor/flavor.ts'
import { IncrementalProgress, type SnapshotCollection } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { SnapshotPace } from '../pace/snapshot-pace.ts'
import type { NotifySnapshot } from '../snapshot/snapshot-event.ts'
import type { BesideStream } from '../streaming/beside-stream.ts'
import type { ChunkKey } from '../chunks/chunk-key.ts'
import { ChunkQuery } from '../chunks/chunk-query.ts'
import type { Chunk, ChunkBorder } from './chunk-reader.ts'
import type { ChunkReaders } from './chunk-readers.ts'
import type { ChunkWindow, WindowTarget } from './chunk-window.ts'
import { findTable, type FindTableOptions, type FoundTable, unknownDefinition } from './found-table.ts'
import { COPYING, type EndedTable, IncrementalReports } from './incremental-reports.ts'
import { chunkSource, IncrementalRows } from './incremental-rows.ts'
import { RefusedTables } from './refused-tables.ts'
import { isOtherServer, isReached } from './reached-chunk.ts'
import { pointOf, stored } from './stored-keys.ts'
import { type ReadChunk, WindowQueue } from './window-queue.ts'

export interface IncrementalSnapshotOptions extends FindTableOptions {
  readonly readers: Pick<ChunkReaders, 'count' | 'hasFree' | 'read' | 'hasTable' | 'rest' | typeof Symbol.asyncDispose>
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
 * Copies tables while the stream continues. It reads chunk after chunk, each in a window:
 *
 * ```
 *  stream      … ───── P0 ─────────────────────── P ───── …
 *                      │ changes leave out rows   │ the rest of the rows
 *  window              └──── read ───── H ────────┘
 *  server      … ─────────────── S ──── H ─────── …
 *  next window           └──── read ───── H ─────────┘
 * ```
 *
 * The window opens between two polls, at the position P0 of the stream. The chunk is then read from the server, as of
 * some moment S: not before P0, which `openView` ensures. H is a place in the binlog after S. Rows that the stream changes
 * in the window are left out, since it has their changes. When it has reached H, at P, the other rows are as of P, and
 * become records there.
 *
 * Chunks are read ahead, each in a window of its own: the next one as soon as the end of the one before is known, on
 * another connection, or when that has been read. Their rows become records in the order of the chunks.
 *
 * The progress is part of the position of each record, so a restart reads again the chunk that was not complete. A
 * chunk that cannot be read is tried again, for ever: the table is copied as a whole, or the signal to stop ends it.
 *
 * Called by the loop of the task: `poll` and `reached` between the changes of the stream, `note` within them.
 */
export class IncrementalSnapshot implements SideSource, BesideStream {
  readonly #options: IncrementalSnapshotOptions
  readonly #reports: IncrementalReports
  readonly #refused = new RefusedTables()
  readonly #stop = new AbortController()
  readonly #backOff = new BackOff({ initialMs: 500, maxMs: 30_000 })
  readonly #windows = new WindowQueue()
  #progress: IncrementalProgress = IncrementalProgress.none
  /** Null before the first poll of the stream. */
  #position: StreamPosition | null = null
  /** Chunks that are being read, also those of windows that are closed. */
  readonly #reading = new Set<Promise<void>>()
  /** The server is asked for the first table. */
  #isSearching = false
  /** A read asks for the numbers of rows of all tables. */
  #isEstimating = false
  /** A table that the server does not have. */
  #gone: TableId | null = null
  #retryMs = 0
  /** The table after that window's cannot be read ahead. */
  #lastAhead: ChunkWindow | null = null
  /** Ends the wait of an idle poll. */
  #wake: (() => void) | null = null
  /** When the limit of rows per second permits the next chunk. */
  #rest: Timer | null = null
  /** Offsets have to be stored, even when there are no records. */
  #isUnreported = false

  constructor(options: IncrementalSnapshotOptions) {
    this.#options = options
    this.#reports = new IncrementalReports(options)
  }

  /** The stream begins at a position with that progress. */
  begin(progress: IncrementalProgress): void {
    this.#progress = progress
    this.#reports.numbers.follow(progress)
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
    return this.#windows.length > 0
  }

  /** Nothing is copied, and nothing has to be stored. */
  get isQuiet(): boolean {
    const isDone = this.#windows.length === 0 && this.#reading.size === 0 && this.#gone === null
    return isDone && !this.#isUnreported && !this.#progress.isActive
  }

  /** Sets the progress after a signal. */
  change(progress: IncrementalProgress): void {
    if (progress === this.#progress) return
    const { first } = this.#windows
    if (progress.collections[0] !== this.#progress.collections[0]) {
      if (first !== null) first.spoil()
      this.#reports.resetTable()
      this.#retryMs = 0
    }
    // The chunk that is due is completed; what was read ahead of it would be old after a long pause.
    if (first !== null && progress.isPaused) this.#windows.dropAfter(first)
    this.#progress = progress
    this.#reports.numbers.follow(progress)
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
    if (this.#gone !== null) this.#leaveOut(this.#gone, 'was dropped')
    this.#gone = null
    for (let rowsMax = ROWS_PER_POLL_MAX; rowsMax > 0;) {
      const { read } = this.#windows
      const rows = read === null ? null : await this.#continue(read, { position, poll, rowsMax })
      if (rows === null) break
      rowsMax -= rows
    }
    this.#readOn(position)
    if (this.#windows.changedCount > CHANGED_MAX) await doneOr(Promise.all(this.#reading), poll.signal)
  }

  /** The stream has made records of a change of that table. */
  note(table: TableId, records: readonly SourceRecord[], first: number): void {
    this.#windows.note(table, records, first)
  }

  /** The stream has reached a statement about these tables; null: it may be about any. */
  noteStatement(tables: ReadonlySet<TableId> | null, statement: string): void {
    for (const table of tables ?? [null]) this.#windows.spoil(table, statement)
  }

  reached(position: StreamPosition, poll: Poll): void {
    this.#position = position
    this.#windows.endPoll(poll.records)
  }

  isDue(position: StreamPosition): boolean {
    if (position.isInTransaction) return false
    if (this.#gone !== null || this.#isUnreported) return true
    const { read } = this.#windows
    if (read !== null && (read.window.isSpoilt || isReached(read.chunk, position, this.#options.flavor))) return true
    return this.#mayRead() && this.#next !== null
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

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#reading)
    this.#rest?.cancel()
    await this.#options.readers[Symbol.asyncDispose]()
  }

  /** Has what was changed stored. Returns whether there was anything, and the stream is between transactions. */
  async report(poll: Poll, isInTransaction: boolean): Promise<boolean> {
    const position = this.#position
    if (!this.#isUnreported || position === null || isInTransaction || position.isInTransaction) return false
    this.#isUnreported = false
    await poll.handle({ tag: 'progress', position: position.withIncremental(this.#progress), isMilestone: true })
    return true
  }

  #mayRead(): boolean {
    const { isActive, isPaused } = this.#progress
    const { clock, pace, readers } = this.#options
    if (!isActive || isPaused || this.#isSearching || !readers.hasFree) return false
    if (clock.monotonicMs() < this.#retryMs || pace?.isHeld === true) return false
    const { length, bytes } = this.#windows
    return length === 0 || (length < readers.count + AHEAD_MAX && bytes < AHEAD_BYTES_MAX)
  }

  /** The chunk after those of the open windows; null: it is not known yet, or they have the last rows. */
  get #next(): NextChunk | null {
    const { collections } = this.#progress
    const { last } = this.#windows
    if (last === null) {
      const [collection] = collections
      return collection === undefined ? null : { collection, from: null }
    }
    const { border, identity, target, isSpoilt } = last
    // Where any change spoils the chunk, those that are read ahead would be spoilt with it.
    if (border === null || identity === null || this.#reports.rereads > 0 || last === this.#lastAhead) return null
    // The end of the chunk is a point of the key of a former definition.
    if (isSpoilt || this.#options.tables.get(target.collection.id) !== target.table.table) return null
    if (!border.isLast) return { collection: target.collection, from: border }
    const at = collections.indexOf(target.collection)
    const collection = at < 0 ? undefined : collections[at + 1]
    return collection === undefined ? null : { collection, from: NO_BORDER }
  }

  /** Begins to read as many chunks as may be read at the same time. */
  #readOn(position: StreamPosition): void {
    while (this.#mayRead()) {
      const next = this.#next
      if (next === null) return
      const { collection, from } = next
      const found = findTable(collection, this.#options)
      if (found.tag === 'target' && found.target.table.refusal === null) this.#read(found.target, from, position)
      else if (from === null) this.#handle(collection.id, found)
      else this.#lastAhead = this.#windows.last
      if (found.tag !== 'target') return
    }
  }

  #read(
    found: Pick<WindowTarget, 'collection' | 'table' | 'key'>,
    from: ChunkBorder | null,
    handled: StreamPosition,
  ): void {
    const { collection, table, key } = found
    const { id, condition } = collection
    const { last, maximum } = this.#progress
    const query = new ChunkQuery(table.table, key)
    const after = from === null ? pointOf(query, key, last) : from.upTo
    // A key of another definition, or of a form that is not known: the table starts again.
    const isRestart = from === null && after === null && last !== null
    const end = from === null ? (isRestart ? null : pointOf(query, key, maximum)) : from.maximum
    if (from === null && after === null && end === null) this.#reports.beginTable(id)
    const window = this.#windows.open({ collection, table, key, after })
    const { numbers } = this.#reports
    // Once for each table of this run. A condition may select any part of the rows.
    const isAsked = condition === null && !this.#isEstimating && numbers.isUnestimated(id)
    const estimates = isAsked ? numbers.unestimated : []
    if (isAsked) this.#isEstimating = true
    const request = { table, key, after, maximum: end, condition, handled, estimates }
    const reading = this.#options.readers.read(request, (border) => this.#noteBorder(window, border), this.#stop.signal)
    const done = reading.finally(() => (this.#isEstimating &&= !isAsked))
    this.#readBeside(
      done.then((chunk) => this.#fill(window, chunk)),
      (error) => this.#fail(error, window),
    )
  }

  #noteBorder(window: ChunkWindow, border: ChunkBorder): void {
    if (window.border !== null && this.#windows.has(window)) this.#windows.dropAfter(window)
    window.border = border
    if (this.#options.readers.hasFree) this.wake()
  }

  #fill(window: ChunkWindow, chunk: Chunk): void {
    for (const [name, rows] of chunk.estimates) this.#reports.numbers.estimate(name, rows)
    window.fill(chunk)
    const { pace, clock } = this.#options
    if (pace === null || pace === undefined) return
    pace.spent(chunk.rows.length, chunk.bytes)
    const { restMs } = pace
    this.#rest?.cancel()
    // The poll of a quiet stream would end only after the poll interval. A timer may run a fraction too early.
    this.#rest = restMs > 0 ? clock.after(Math.ceil(restMs) + 1, () => this.wake()) : null
  }

  #readBeside(work: Promise<void>, onError: (error: Error) => void): void {
    const reading: Promise<void> = work
      .catch((error: unknown) => onError(toError(error)))
      .finally(() => {
        this.#reading.delete(reading)
        this.wake()
      })
    this.#reading.add(reading)
  }

  /** The first table cannot be read now, or not at all. */
  #handle(id: TableId, found: FoundTable): void {
    switch (found.tag) {
      case 'not captured':
        return this.#leaveOut(id, 'is not captured')
      case 'unknown':
        return this.#search(id)
      case 'refused':
        return this.#refuse(id, found.reason)
      case 'target':
        return this.#fail(found.target.table.refusal ?? unknownDefinition(id))
      default:
        return unreachable(found)
    }
  }

  /** Asks the server whether it has a table whose definition is not known. */
  #search(id: TableId): void {
    this.#isSearching = true
    const search = this.#options.readers.hasTable(id, this.#stop.signal).then((isThere) => {
      if (isThere) throw unknownDefinition(id)
      this.#gone = id
    })
    this.#readBeside(
      search.finally(() => (this.#isSearching = false)),
      (error) => this.#fail(error),
    )
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
    this.#reports.leaveOut(this.#progress, id, reason, status)
    this.change(rest)
    this.#noteEnd()
  }

  #noteEnd(): void {
    if (this.#progress.isActive) return
    this.#options.pace?.rest()
    this.#reports.end()
    this.#readBeside(this.#options.readers.rest(), () => undefined)
    this.#isUnreported = true
    this.wake()
  }

  /** Makes records of rows that are due. Returns their number; null: no more are due. */
  async #continue({ window, chunk }: ReadChunk, { position, poll, rowsMax }: Turn): Promise<number | null> {
    if (!this.#isDueAt(window, chunk, position)) return null
    const { collection, table, key, after } = window.target
    const { id } = collection
    const rows = this.#take(window, rowsMax)
    if (rows === null) return null
    const before = this.#progress
    const isComplete = window.isEmpty
    if (isComplete) this.#advance(key, chunk)
    if (rows.length > 0) {
      this.#reports.addRows(id, rows.length)
      const { nowMicros } = poll
      const source = chunkSource(this.#options.format, { id, chunk, position, nowMicros })
      // In a slice that is not the last one, the offset stays before the chunk.
      const offsetBefore = position.withIncremental(before)
      const offset = position.withIncremental(this.#progress)
      const change = new IncrementalRows({ table, rows, source, offsetBefore, offset })
      const waiting = poll.handle({ tag: 'rows', rows: change, position: offset })
      if (waiting !== null) await waiting
    } else if (isComplete && chunk.isLast) this.#isUnreported = true
    if (isComplete) this.#reports.endChunk(before, id, chunk)
    if (isComplete && chunk.isLast) this.#endTable(before, id, { after, maximum: chunk.maximum })
    await this.report(poll, false)
    return rows.length
  }

  /** Whether the rows can become records now. If the chunk has to be read again, its window is closed. */
  #isDueAt(window: ChunkWindow, chunk: Chunk, position: StreamPosition): boolean {
    const { collection, table, after } = window.target
    const { id } = collection
    const isOther = collection !== this.#progress.collections[0] || this.#options.tables.get(id) !== table.table
    if (window.isSpoilt || isOther || isOtherServer(chunk, position)) {
      this.#windows.dropFrom(window)
      this.#retryMs = this.#options.clock.monotonicMs() + this.#reports.noteReread(id, window.statement)
      return false
    }
    const signature = after === null ? null : (this.#progress.last?.signature ?? null)
    if (signature !== null && signature !== chunk.signature) {
      this.#windows.dropFrom(window)
      this.#options.logger.warn(`The key of '${id.toString()}' was altered: its incremental snapshot begins again`)
      this.change(this.#progress.withKeys(null, null))
      return false
    }
    if (isReached(chunk, position, this.#options.flavor)) return true
    this.#reports.noteWaiting(window, chunk, position)
    return false
  }

  /** Null: a row cannot be read, and the chunk is read again. */
  #take(window: ChunkWindow, count: number): ReturnType<ChunkWindow['take']> | null {
    try {
      if (window.damage !== null) throw window.damage
      return window.take(count)
    } catch (error) {
      this.#fail(toError(error), window)
      return null
    }
  }

  /** The first chunk is complete. */
  #advance(key: ChunkKey, { upTo, maximum, signature, isLast }: Chunk): void {
    this.#windows.shift()
    this.#backOff.reset()
    this.#options.logger.outages?.ended(COPYING)
    const end = maximum === null ? null : stored(key, maximum, signature)
    if (isLast || upTo === null) this.#progress = this.#progress.withoutFirst()
    else this.#progress = this.#progress.withKeys(stored(key, upTo, signature), end)
  }

  #endTable(before: IncrementalProgress, id: TableId, ended: EndedTable): void {
    this.#reports.endTable(before, id, ended)
    this.#reports.numbers.follow(this.#progress)
    const { first } = this.#windows
    if (first !== null) this.#reports.beginTable(first.target.collection.id)
    this.#noteEnd()
  }

  #fail(error: Error, window: ChunkWindow | null = null): void {
    // Of a window that was closed meanwhile, nothing is missing.
    if (window !== null && !this.#windows.has(window)) return
    if (window !== null) this.#windows.dropFrom(window)
    if (error instanceof StoppedError) return
    const { logger, clock } = this.#options
    const pauseMs = this.#backOff.next()
    this.#retryMs = clock.monotonicMs() + pauseMs
    const collection = window?.target.collection ?? this.#progress.collections[0]
    logger.outages?.failed(COPYING, error, pauseMs)
    logger.warn(
      `A chunk of the incremental snapshot of '${collection?.id.toString() ?? '?'}' could not be read; it is read again in ${pauseMs} ms, and a stop-snapshot signal ends that`,
      { error },
    )
  }
}

interface NextChunk {
  readonly collection: SnapshotCollection
  /** The end of the chunk before it; null: that is in the progress. */
  readonly from: ChunkBorder | null
}

interface Turn {
  readonly position: StreamPosition
  readonly poll: Poll
  readonly rowsMax: number
}

const NO_BORDER: ChunkBorder = { upTo: null, maximum: null, isLast: false }
/** Rows of one poll live until they are sent. */
const ROWS_PER_POLL_MAX = 1_024
/** A few megabytes. A stream that changes more rows meanwhile waits for the chunks. */
const CHANGED_MAX = 50_000
/** Chunks that wait for the stream, besides those that are being read. */
const AHEAD_MAX = 3
/** Of the chunks that wait, as the server has sent them: nothing is read ahead of a chunk of large rows. */
const AHEAD_BYTES_MAX = 16 * 2 ** 20
