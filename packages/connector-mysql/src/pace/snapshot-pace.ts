import type { ConnectorNumbers } from '@tributary/connector-kit'
import type { Clock, Logger } from '@tributary/support'
import type { SnapshotLimits } from '../config/limit-keys.ts'
import { type LoadReason, LoadWatch, type LoadWatchOptions } from './load-watch.ts'
import { connectorErrors } from '../errors.ts'
import { ReplicaPatience } from './replica-patience.ts'
import { RateLimit } from './rate-limit.ts'

export interface SnapshotPaceOptions extends Pick<LoadWatchOptions, 'connection' | 'flavor' | 'serverInfo'> {
  readonly limits: SnapshotLimits
  readonly numbers: ConnectorNumbers
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Holds up the snapshots of a task so that they do not hurt the source: initial, blocking and incremental ones together.
 * They call it per batch or chunk.
 */
export class SnapshotPace implements AsyncDisposable {
  readonly #options: SnapshotPaceOptions
  readonly #rows: RateLimit | null
  readonly #bytes: RateLimit | null
  /** Null: no load matters. */
  readonly #load: LoadWatch | null
  /** Since when it waits for the load; null: it does not. */
  #waitingSinceMs: number | null = null
  #loggedMs: number | null = null
  /** When a wait was last reported that lasts. */
  #reportedMs = 0
  readonly #patience: ReplicaPatience
  /** How long the next batch waits for running threads, at most, while a transaction is open. */
  #patienceMs = PATIENCE_MS
  /** Since when that batch waits; null: it does not. */
  #batchSinceMs: number | null = null

  constructor(options: SnapshotPaceOptions) {
    this.#options = options
    const { limits } = options
    const { rowsPerSecondMax, bytesPerSecondMax, runningThreadsMax, replicas } = limits
    this.#rows = rowsPerSecondMax === 0 ? null : new RateLimit(rowsPerSecondMax)
    this.#bytes = bytesPerSecondMax === 0 ? null : new RateLimit(bytesPerSecondMax)
    this.#patience = new ReplicaPatience({ ...options, limitMs: limits.replicaWaitMaxMs })
    this.#load = runningThreadsMax === 0 && replicas.length === 0 ? null : new LoadWatch({ ...options, ...limits })
  }

  /** Rows of a batch: a batch takes a quarter of a second at most. */
  batchRowsMax(rowsMax: number): number {
    const { rowsPerSecondMax } = this.#options.limits
    return rowsPerSecondMax === 0 ? rowsMax : Math.max(1, Math.min(rowsMax, Math.ceil(rowsPerSecondMax / 4)))
  }

  /** Rows were read. `bytes`: as the server has sent them. */
  spent(rows: number, bytes: number): void {
    const nowMs = this.#options.clock.monotonicMs()
    this.#rows?.spent(rows, nowMs)
    this.#bytes?.spent(bytes, nowMs)
  }

  /** Whether nothing more may be read now. */
  get isHeld(): boolean {
    const reasons = this.#reasons
    return reasons === null || reasons.length > 0 || this.restMs > 0
  }

  /** Null: nobody knows yet. */
  get #reasons(): readonly LoadReason[] | null {
    const looked = this.#load === null ? [] : this.#load.look()
    const reasons = looked === null ? null : this.#patience.filter(looked)
    if (reasons !== null) this.#note(reasons)
    return reasons
  }

  /** Since when the load holds snapshots up, in milliseconds; 0: it does not. */
  get heldMs(): number {
    return this.#waitingSinceMs === null ? 0 : this.#options.clock.monotonicMs() - this.#waitingSinceMs
  }

  /**
   * Waits for a second at most while nothing may be read. Returns whether that is still so: a poll has to return now and
   * then, since offsets are committed between polls.
   */
  async wait(signal: AbortSignal): Promise<boolean> {
    if (!this.isHeld) return false
    await this.#load?.looked(signal)
    if (!this.isHeld) return false
    const restMs = this.restMs
    await this.#options.clock.sleep(restMs === 0 ? STEP_MS : Math.min(restMs, STEP_MS), signal)
    return this.isHeld
  }

  /**
   * `wait` for who has a transaction open. Its locks of tables may be what the threads wait for: when they run
   * although nothing is read, a batch may be read after 30 s, the next one after 15 s, and so on, each second in the
   * end. So the snapshot ends, and with it what it causes.
   */
  async waitInTransaction(signal: AbortSignal): Promise<boolean> {
    const { clock, logger } = this.#options
    this.#batchSinceMs ??= clock.monotonicMs()
    if (!(await this.wait(signal))) {
      this.#batchSinceMs = null
      return false
    }
    const reasons = this.#reasons
    const isOfThreads = reasons !== null && reasons.length > 0 && reasons.every(({ kind }) => kind === 'threads')
    if (!isOfThreads || this.restMs > 0 || clock.monotonicMs() - this.#batchSinceMs < this.#patienceMs) return true
    if (this.#patienceMs === PATIENCE_MS) logger.warn(LOCKS)
    this.#patienceMs = Math.max(STEP_MS, this.#patienceMs / 2)
    this.#batchSinceMs = null
    return false
  }

  /** How long the limits of rows and bytes permit nothing more, in milliseconds; 0: they do. */
  get restMs(): number {
    const nowMs = this.#options.clock.monotonicMs()
    return Math.max(this.#rows?.restMs(nowMs) ?? 0, this.#bytes?.restMs(nowMs) ?? 0)
  }

  /** No snapshot reads any more, for now. */
  rest(): void {
    this.#options.numbers.shownSnapshot.waitsFor = null
    this.#endWait()
    this.#batchSinceMs = null
    void this.#load?.rest()
  }

  #note(reasons: readonly LoadReason[]): void {
    const { numbers, clock, logger } = this.#options
    const { shownSnapshot: shown } = numbers
    const text = reasons.length === 0 ? null : reasons.map(({ reason }) => reason).join('; ')
    shown.waitsFor = text
    const nowMs = clock.monotonicMs()
    if (text === null) {
      if (this.#waitingSinceMs !== null && this.#loggedMs === this.#waitingSinceMs) {
        logger.info(`The snapshot continues after ${Math.round((nowMs - this.#waitingSinceMs) / 1_000)} s`)
      }
      this.#endWait()
      return
    }
    if (this.#waitingSinceMs !== null) {
      this.#noteLong(text, nowMs)
      return
    }
    this.#waitingSinceMs = nowMs
    this.#reportedMs = nowMs
    // A load around the limit would fill the log.
    if (this.#loggedMs !== null && nowMs - this.#loggedMs < LOG_INTERVAL_MS) return
    this.#loggedMs = nowMs
    logger.info(`The snapshot waits: ${text}`)
  }

  /** A wait of minutes, such as for a replica that is down, is in the health of the task, and again in the log. */
  #noteLong(text: string, nowMs: number): void {
    if (this.#waitingSinceMs === null || nowMs - this.#reportedMs < REPORT_INTERVAL_MS) return
    this.#reportedMs = nowMs
    const minutes = Math.round((nowMs - this.#waitingSinceMs) / 60_000)
    const { logger } = this.#options
    logger.outages?.failed(WAITING, connectorErrors.SNAPSHOT_HELD_UP({ minutes, reason: text }))
    logger.warn(`The snapshot has waited for ${minutes} min: ${text}`)
  }

  #endWait(): void {
    if (this.#waitingSinceMs !== null) this.#options.logger.outages?.ended(WAITING)
    this.#waitingSinceMs = null
    this.#patienceMs = PATIENCE_MS
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#load?.[Symbol.asyncDispose]()
  }
}

const STEP_MS = 1_000
/** Long enough for a peak of other work. */
const PATIENCE_MS = 30_000
const LOCKS =
  'The snapshot reads single batches although too many threads run: they do so also while it waits, and they may wait for its own locks. SHOW PROCESSLIST has the reason'
const LOG_INTERVAL_MS = 30_000
/** Shorter than what the health of a task forgets. */
const REPORT_INTERVAL_MS = 60_000
/** As an operator reads it in the health of the task. */
const WAITING = 'waiting until the snapshot may read'
