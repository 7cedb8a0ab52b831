import type { Clock } from '@tributary/support'
import type { Partition } from './partition.ts'

export interface BatchSealerOptions {
  readonly clock: Clock
  /** `linger.ms`; 0: the sealer decides. */
  readonly lingerMs: number
  /** A sealed batch can be sent. */
  readonly onSealed: (partition: Partition) => void
}

/**
 * How long a batch waits for records that are said to follow. What a request costs beside its bytes is mostly the broker's: one for each
 * poll took a fifth of the speed of small transactions (bench/journal/2026-11-23-fewer-requests-under-load.md); a longer wait gains nothing, and
 * what comes in it is repeated after a kill.
 */
const WAIT_FOR_MORE_MS = 5

/**
 * Decides when a batch that is not full is sent.
 *
 * Without linger: at the end of this turn of the event loop when nothing of its partition is under way, else as soon as
 * all of it is acknowledged. So a lone record goes at once, and under load batches grow by themselves to what comes in
 * during one round trip. While more records are said to follow, a batch is at least a few milliseconds old before that.
 *
 * With linger: that long after its first record, whatever is under way.
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

  /** No longer: what has waited for more is sent at the end of this turn. */
  set moreFollows(moreFollows: boolean) {
    if (this.#moreFollows === moreFollows) return
    this.#moreFollows = moreFollows
    if (!moreFollows && this.#opened.length > 0) this.#scheduleTurn()
  }

  /** A partition has an open batch. */
  watch(partition: Partition): void {
    partition.isToBeSealed = true
    this.#opened.push(partition)
    this.#schedule(this.#waitMs)
  }

  /** All of the partition is acknowledged. */
  onIdle(partition: Partition): void {
    if (this.#options.lingerMs > 0 || !partition.hasOpenBatch) return
    if (this.#restMs(partition, this.#options.clock.now()) === 0) this.#seal(partition)
    else if (!partition.isToBeSealed) this.watch(partition)
  }

  /** How long the partition's open batch waits yet; 0: no more. */
  #restMs({ openedAtMs }: Partition, nowMs: number): number {
    const ageMs = nowMs - openedAtMs
    // A negative age: the clock was put back.
    return ageMs < 0 ? 0 : Math.max(0, this.#waitMs - ageMs)
  }

  /** The least age of a batch that is not full. */
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
      const restMs = partition.hasOpenBatch ? this.#restMs(partition, nowMs) : 0
      if (restMs > 0) {
        this.#opened.push(partition)
        nextMs = Math.min(nextMs, restMs)
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
