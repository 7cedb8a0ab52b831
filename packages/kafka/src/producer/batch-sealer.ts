import type { Clock } from '@tributary/support'
import type { Partition } from './partition.ts'

export interface BatchSealerOptions {
  readonly clock: Clock
  /** `linger.ms`; 0: see BatchSealer. */
  readonly lingerMs: number
  /** The sealer has sealed a batch of the partition. */
  readonly onSealed: (partition: Partition) => void
}

/**
 * How long a batch waits while `moreFollows` is set. The fixed cost of a request is mostly the broker's: one request
 * for each poll cost a fifth of the throughput of small transactions
 * (bench/journal/2026-11-23-fewer-requests-under-load.md). A longer wait gains nothing, and a kill repeats the records
 * of that time.
 */
const WAIT_FOR_MORE_MS = 5

/**
 * Decides when a batch that is not full is sealed.
 *
 * Without linger: at the end of the turn of the event loop when no batch of its partition is in flight, else when all
 * of them are acknowledged. So a single record is produced at once, and under load a batch grows to the records of one
 * round trip. While `moreFollows` is set, a batch waits until it is a few milliseconds old as well.
 *
 * With linger: that long after its first record, whatever is in flight.
 */
export class BatchSealer {
  readonly #options: BatchSealerOptions
  #opened: Partition[] = []
  #isTurnScheduled = false
  #isTimerSet = false
  #moreFollows = false

  constructor(options: BatchSealerOptions) {
    this.#options = options
  }

  get moreFollows(): boolean {
    return this.#moreFollows
  }

  /** Setting it to false seals the waiting batches at the end of this turn. */
  set moreFollows(moreFollows: boolean) {
    if (this.#moreFollows === moreFollows) return
    this.#moreFollows = moreFollows
    if (!moreFollows && this.#opened.length > 0) this.#scheduleTurn()
  }

  /** Watches a partition that has an open batch. */
  watch(partition: Partition): void {
    partition.isToBeSealed = true
    this.#opened.push(partition)
    this.#schedule(this.#waitMs)
  }

  /** All sealed batches of the partition are acknowledged. */
  onIdle(partition: Partition): void {
    if (this.#options.lingerMs > 0 || !partition.hasOpenBatch) return
    if (this.#remainingMs(partition, this.#options.clock.now()) === 0) this.#seal(partition)
    else if (!partition.isToBeSealed) this.watch(partition)
  }

  /** How much longer the open batch of the partition waits; 0: it is due. */
  #remainingMs({ openedAtMs }: Partition, nowMs: number): number {
    const ageMs = nowMs - openedAtMs
    // The age is negative when the clock was set back.
    return ageMs < 0 ? 0 : Math.max(0, this.#waitMs - ageMs)
  }

  /** The age at which a batch that is not full is due. */
  get #waitMs(): number {
    const { lingerMs } = this.#options
    return lingerMs === 0 && this.#moreFollows ? WAIT_FOR_MORE_MS : lingerMs
  }

  #schedule(delayMs: number): void {
    if (delayMs === 0) {
      this.#scheduleTurn()
    } else if (!this.#isTimerSet) {
      this.#isTimerSet = true
      this.#options.clock.after(delayMs, () => {
        this.#isTimerSet = false
        this.#sealDue()
      })
    }
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return
    this.#isTurnScheduled = true
    setImmediate(() => {
      this.#isTurnScheduled = false
      this.#sealDue()
    })
  }

  #sealDue(): void {
    const { clock, lingerMs } = this.#options
    const nowMs = clock.now()
    const opened = this.#opened
    this.#opened = []
    let nextMs = Infinity
    for (const partition of opened) {
      const remainingMs = partition.hasOpenBatch ? this.#remainingMs(partition, nowMs) : 0
      if (remainingMs > 0) {
        this.#opened.push(partition)
        nextMs = Math.min(nextMs, remainingMs)
        continue
      }
      partition.isToBeSealed = false
      if (partition.hasOpenBatch && (lingerMs > 0 || partition.queue.isEmpty)) this.#seal(partition)
    }
    if (this.#opened.length > 0) this.#schedule(nextMs)
  }

  #seal(partition: Partition): void {
    partition.seal()
    this.#options.onSealed(partition)
  }
}
