import type { ChangeSource, Poll, SourceState } from '@tributary/connector-kit'
import { BackOff, CodedError, isRetriable, StoppedError, toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import { offsetText } from '../offset/offset-text.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import { LockWaitError } from './snapshot-lock.ts'
import { type OpenSnapshot, type SnapshotOptions, SnapshotSteps } from './snapshot-steps.ts'

/**
 * The initial snapshot: its structure as statements, then its rows (step 7).
 *
 * When a connection of it is lost, it continues after a pause with what is left of its tables, and so does a task that is
 * started with the offset of an unfinished snapshot. When a table was changed meanwhile, or the binlog from the position
 * of the snapshot on is not there any more, it starts again at step 1: rows are then repeated, none is left out.
 */
export class SnapshotSource implements ChangeSource {
  readonly #options: SnapshotOptions
  readonly #steps: SnapshotSteps
  readonly #backOff = new BackOff({ initialMs: 500, maxMs: 30_000 })
  readonly #lockBackOff = new BackOff({ initialMs: 10_000, maxMs: 300_000 })
  /** When the first attempt may begin; null before the first poll. */
  #startMs: number | null = null
  #open: OpenSnapshot | null = null
  /** Where an unfinished snapshot continues; null: it begins. */
  #resume: StreamPosition | null
  #finished: StreamPosition | null = null

  constructor(options: SnapshotOptions) {
    this.#options = options
    this.#resume = options.resume
    this.#steps = new SnapshotSteps(options)
  }

  /** Where the stream starts; null until the snapshot is over. */
  get end(): StreamPosition | null {
    return this.#finished
  }

  async poll(poll: Poll): Promise<SourceState> {
    if ((await this.#isDelayed(poll.signal)) || (await this.#isHeld(poll.signal))) return 'idle'
    const before = poll.records.length
    let claimed: StreamPosition | null = null
    try {
      if (this.#open === null) {
        this.#options.numbers.begin(this.#options.clock.now())
        this.#options.notify?.('STARTED')
      }
      this.#open ??= await this.#openSteps(poll.signal)
      claimed = this.#claimOf(this.#open)
      return await this.#read(this.#open, poll)
    } catch (thrown) {
      const error = tableChange(this.#lockWait(toError(thrown)))
      this.#resume = isTableChange(error) ? null : (claimed ?? this.#resume)
      await this.close()
      this.#options.numbers.end('aborted', this.#options.clock.now())
      this.#options.notify?.('ABORTED')
      if (error instanceof StoppedError || !isRetriable(error)) throw error
      // The new snapshot yields these records again.
      poll.records.length = before
      const isLock = error instanceof CodedError && error.code === 'SNAPSHOT_LOCK_WAIT'
      const pauseMs = (isLock ? this.#lockBackOff : this.#backOff).next()
      this.#options.logger.outages?.failed(SNAPSHOT, error, pauseMs)
      const what = this.#resume === null ? 'begins again' : 'continues'
      this.#options.logger.warn(`The snapshot ${what} in ${pauseMs} ms`, { error })
      await this.#options.clock.sleep(pauseMs, poll.signal)
      return 'idle'
    }
  }

  async #openSteps(signal: AbortSignal): Promise<OpenSnapshot> {
    const open = await this.#openOrResume(signal)
    this.#options.logger.outages?.ended(SNAPSHOT)
    return open
  }

  async #openOrResume(signal: AbortSignal): Promise<OpenSnapshot> {
    const resume = this.#resume
    if (resume === null) return this.#steps.open(signal)
    if (!(await this.#options.isLost(resume, signal))) return this.#steps.resume(resume, signal)
    this.#resume = null
    return this.#steps.open(signal)
  }

  /** Null until the structure has been handed over: before, there is nothing to continue. */
  #claimOf({ rows, structure }: OpenSnapshot): StreamPosition | null {
    const hasStructure = structure === null || rows.total > 0
    return hasStructure && rows.claimed.snapshotProgress !== null ? rows.claimed : null
  }

  /** Returns now and then during `snapshot.delay.ms`, since offsets are committed between polls. */
  async #isDelayed(signal: AbortSignal): Promise<boolean> {
    const { clock, logger, config } = this.#options
    if (this.#startMs === null && config.snapshotDelayMs > 0) {
      logger.info(`The snapshot begins in ${config.snapshotDelayMs} ms (snapshot.delay.ms)`)
    }
    this.#startMs ??= clock.monotonicMs() + config.snapshotDelayMs
    const restMs = this.#startMs - clock.monotonicMs()
    if (restMs <= 0) return false
    await clock.sleep(Math.min(restMs, DELAY_STEP_MS), signal)
    return true
  }

  /** Waits for the load before it takes a lock or opens a transaction, which both cost the source. */
  async #isHeld(signal: AbortSignal): Promise<boolean> {
    const { pace, readsRows } = this.#options
    return this.#open === null && readsRows && (await pace?.wait(signal)) === true
  }

  /** A session that waits for the lock blocks the writes of others: attempts are limited, with growing pauses. */
  #lockWait(error: Error): Error {
    if (!(error instanceof LockWaitError)) return error
    const tries = this.#lockBackOff.failures + 1
    if (tries < LOCK_TRIES_MAX) {
      return connectorErrors.SNAPSHOT_LOCK_WAIT({ ...error.wait, tries, triesMax: LOCK_TRIES_MAX }, error)
    }
    return connectorErrors.SNAPSHOT_LOCK_GIVEN_UP({ tries, reason: error.message }, error)
  }

  async #read(open: OpenSnapshot, poll: Poll): Promise<SourceState> {
    poll.afterWait()
    const statements = (await open.structure?.handOver(open.offset, poll)) ?? 0
    // Rows come after all statements: their offsets say that nothing of the structure is left.
    if (statements > STATEMENTS_WITH_ROWS_MAX || open.structure?.isHandedOver === false) return 'more'
    // The structure alone costs nothing.
    const { pace, readsRows } = this.#options
    if (readsRows && statements === 0 && (await pace?.waitInTransaction(poll.signal)) === true) return 'idle'
    // In one poll with the first rows: the topics of both are then opened together.
    const hasMore = await open.rows.handOver(poll)
    if (hasMore || statements > 0) return 'more'
    return this.#finish(open, poll)
  }

  async #finish({ offset, rows, beside, lock }: OpenSnapshot, poll: Poll): Promise<SourceState> {
    const { logger } = this.#options
    await lock?.held.release(poll.signal)
    const position = this.#options.withCopies(offset.afterSnapshot(), beside)
    this.#finished = position
    this.#options.numbers.end('completed', this.#options.clock.now())
    this.#options.notify?.('COMPLETED')
    logger.info('Snapshot completed', { rows: rows.total })
    if (beside.length > 0) logger.info(`Copied while the stream runs: ${beside.length} tables`)
    const document = offsetText(position.toDocument())
    logger.info(`Snapshot ended with SnapshotResult [status=COMPLETED, offset=${document}]`)
    await poll.handle({ tag: 'progress', position, isMilestone: true })
    return 'over'
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = null
    this.#options.pace?.rest()
    await open?.estimates[Symbol.asyncDispose]()
    await open?.guard?.[Symbol.asyncDispose]()
    for (const each of open?.connections ?? []) await each.close()
    await open?.lock?.connection.close()
  }
}

/** As an operator reads it in the health of the task. */
const SNAPSHOT = 'taking the snapshot'

const DELAY_STEP_MS = 1_000

/** So many more records do not make a poll large. */
const STATEMENTS_WITH_ROWS_MAX = 64

/** With pauses that grow to five minutes, a good half hour: longer than most backups and reports hold up a lock. */
const LOCK_TRIES_MAX = 12

/**
 * A definition was changed since the transaction began (1412); a table (1146), its database (1049), a column (1054) or
 * the primary key (1176) is not there any more: a new start fixes all of them.
 */
const ERRNOS_OF_CHANGE: ReadonlySet<unknown> = new Set([1412, 1146, 1049, 1054, 1176])
/** A statement of the user may name a table that does not exist. */
const ERRNOS_OF_OVERRIDES: ReadonlySet<unknown> = new Set([1412])

function isTableChange(error: Error): boolean {
  return error instanceof CodedError && error.code === 'SNAPSHOT_TABLES_CHANGED'
}

function tableChange(error: Error): Error {
  const isOverride = error instanceof CodedError && error.code === 'SNAPSHOT_SELECT_REFUSED'
  const errnos = isOverride ? ERRNOS_OF_OVERRIDES : ERRNOS_OF_CHANGE
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ('errno' in each && errnos.has(each.errno)) {
      return connectorErrors.SNAPSHOT_TABLES_CHANGED({ reason: each.message }, error)
    }
  }
  return error
}
