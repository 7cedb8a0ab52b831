import type { SnapshotNumbers, TableId } from '@tributary/connector-kit'
import { BackOff, type Clock, type Logger } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { KeyPoint } from '../chunks/chunk-key.ts'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { NotifySnapshot } from '../snapshot/snapshot-event.ts'
import type { Chunk } from './chunk-reader.ts'
import type { ChunkWindow } from './chunk-window.ts'
import { IncrementalNumbers } from './incremental-numbers.ts'
import { keyText } from './stored-keys.ts'

export interface IncrementalReportsOptions {
  readonly numbers: SnapshotNumbers
  readonly notify?: NotifySnapshot | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** What users see of an incremental snapshot: its progress, its notifications and its lines in the log. */
export class IncrementalReports {
  readonly #options: IncrementalReportsOptions
  readonly numbers: IncrementalNumbers
  #named: { readonly collections: IncrementalProgress['collections']; readonly names: string } = NOT_NAMED
  #rowsOfTable = 0
  /** A chunk that was read, and that the stream has not reached. */
  #waiting: { readonly window: ChunkWindow; readonly sinceMs: number; isLogged: boolean } | null = null
  /** How often the current chunk had to be read again. */
  #rereads = 0
  /** Statements about its table, one after the other. */
  readonly #overtaken = new BackOff({ initialMs: 250, maxMs: 30_000 })

  constructor(options: IncrementalReportsOptions) {
    this.#options = options
    this.numbers = new IncrementalNumbers(options.numbers, options.clock)
  }

  get rereads(): number {
    return this.#rereads
  }

  /** The first table is another one, or begins again. */
  resetTable(): void {
    this.#rowsOfTable = 0
  }

  beginTable(id: TableId): void {
    this.#rowsOfTable = 0
    this.numbers.restart(id)
    this.#options.logger.info(`Incremental snapshot of table '${id.toString()}' begins`)
  }

  addRows(id: TableId, count: number): void {
    this.#rowsOfTable += count
    this.numbers.add(id, count)
  }

  /** A chunk of the first table is complete. */
  endChunk(progress: IncrementalProgress, id: TableId, { upTo, maximum }: Pick<Chunk, 'upTo' | 'maximum'>): void {
    this.#rereads = 0
    this.#overtaken.reset()
    if (upTo === null) return
    this.#options.notify?.('IN_PROGRESS', {
      data_collections: this.#namesOf(progress),
      current_collection_in_progress: id.toString(),
      maximum_key: keyText(maximum),
      last_processed_key: keyText(upTo),
    })
  }

  /** The table is complete. `before`: the progress with it. */
  endTable(before: IncrementalProgress, id: TableId, { after, maximum }: EndedTable): void {
    const rows = this.#rowsOfTable
    this.numbers.end(id)
    this.#notifyScanned(before, id, { rows, status: maximum === null ? 'EMPTY' : 'SUCCEEDED' })
    const text = after === null && rows === 0 ? 'it has none' : `${rows} since the last start`
    this.#options.logger.info(`Incremental snapshot of table '${id.toString()}' is complete (rows: ${text})`)
    this.#rowsOfTable = 0
  }

  leaveOut(before: IncrementalProgress, id: TableId, reason: string, status: string): void {
    this.#options.logger.error(
      `The incremental snapshot leaves out the table '${id.toString()}', of which no row is copied: it ${reason}`,
    )
    this.#notifyScanned(before, id, { rows: 0, status })
    this.numbers.end(id)
  }

  end(): void {
    this.#options.logger.info('The incremental snapshot is complete')
    this.#options.notify?.('COMPLETED')
  }

  /** A stream that lags by hours reaches every chunk after hours: the log has why nothing seems to happen. */
  noteWaiting(window: ChunkWindow, { place }: Chunk, position: StreamPosition): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (this.#waiting?.window !== window) this.#waiting = { window, sinceMs: nowMs, isLogged: false }
    const { sinceMs, isLogged } = this.#waiting
    if (isLogged || nowMs - sinceMs < WAITING_MS_MAX) return
    this.#waiting.isLogged = true
    this.#options.logger.warn(
      `The rows of a chunk of '${window.target.table.table.id.toString()}' have waited for ${Math.round((nowMs - sinceMs) / 60_000)} minutes: the stream is at ${position.describe()}, and they were read at ${place.gtids ?? `${place.file}:${place.position}`}`,
    )
  }

  /** The first chunk has to be read again: because of a statement, or of changed rows. Returns the pause before that. */
  noteReread(id: TableId, statement: string | null): number {
    this.#rereads += 1
    if (statement !== null) return this.#noteOvertaken(id, statement)
    const pauseMs = Math.min(REREAD_PAUSE_MS_MAX, this.#rereads * 5)
    if (!/^10+$/.test(String(this.#rereads))) return pauseMs
    this.#options.logger.warn(
      `A chunk of the incremental snapshot of '${id.toString()}' was read ${this.#rereads} times, since the table was changed each time: its events do not contain its primary key, or it has none. A smaller incremental.snapshot.chunk.size, or a time with fewer changes, ends that`,
    )
    return pauseMs
  }

  /** One statement is nothing special: the chunk is read again. Who alters the table all the time has to know. */
  #noteOvertaken(id: TableId, statement: string): number {
    const { logger } = this.#options
    const pauseMs = this.#overtaken.next()
    const { failures: times } = this.#overtaken
    if (times === 1) {
      logger.info(`A chunk of '${id.toString()}' is read again, after the statement ${statement}`)
      return 0
    }
    const error = connectorErrors.INCREMENTAL_OVERTAKEN({ table: id.toString(), times, statement })
    logger.outages?.failed(COPYING, error, pauseMs)
    logger.warn(`A chunk of '${id.toString()}' is read again in ${pauseMs} ms`, { error })
    return pauseMs
  }

  #notifyScanned(
    progress: IncrementalProgress,
    id: TableId,
    { rows, status }: { readonly rows: number; readonly status: string },
  ): void {
    this.#options.notify?.('TABLE_SCAN_COMPLETED', {
      data_collections: this.#namesOf(progress),
      scanned_collection: id.toString(),
      total_rows_scanned: String(rows),
      status,
    })
  }

  #namesOf({ collections }: IncrementalProgress): string {
    // There may be thousands, and each chunk has a notification.
    if (this.#named.collections !== collections) {
      this.#named = { collections, names: collections.map(({ id }) => id.toString()).join(',') }
    }
    return this.#named.names
  }
}

export interface EndedTable {
  /** The key before its last chunk. */
  readonly after: KeyPoint | null
  readonly maximum: KeyPoint | null
}

/** As an operator reads it in the health of the task. */
export const COPYING = 'reading the incremental snapshot'
/** Limits how often the chunk of a table that changes constantly is read again. */
const REREAD_PAUSE_MS_MAX = 1_000
const WAITING_MS_MAX = 5 * 60_000
const NOT_NAMED = { collections: [], names: '' }
