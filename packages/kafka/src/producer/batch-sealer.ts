import type { Clock } from '@tributary/support'
import type { Partition } from './partition.ts'

export interface BatchSealerOptions {
  readonly clock: Clock
  readonly lingerMs: number
  /** A sealed batch can be sent. */
  readonly onSealed: (partition: Partition) => void
}

/**
 * Decides when a batch that is not full is sent.
 *
 * Without linger: at the end of this turn of the event loop when nothing of its partition is under way, else as soon as
 * all of it is acknowledged. So a lone record goes at once, and under load batches grow by themselves to what comes in
 * during one round trip. With linger: that long after its first record, whatever is under way.
 */
export class BatchSealer {
  readonly #options: BatchSealerOptions
  #opened: Partition[] = []
  #isScheduled = false

  constructor(options: BatchSealerOptions) {
    this.#options = options
  }

  /** A partition has an open batch. */
  watch(partition: Partition): void {
    partition.isToBeSealed = true
    this.#opened.push(partition)
    this.#schedule(this.#options.lingerMs)
  }

  /** All of the partition is acknowledged. */
  onIdle(partition: Partition): void {
    if (this.#options.lingerMs === 0 && partition.hasOpenBatch) this.#seal(partition)
  }

  #schedule(delayMs: number): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const run = (): void => {
      this.#isScheduled = false
      this.#sealDue()
    }
    if (delayMs === 0) setImmediate(run)
    else this.#options.clock.after(delayMs, run)
  }

  #sealDue(): void {
    const { clock, lingerMs } = this.#options
    const nowMs = clock.now()
    const opened = this.#opened
    this.#opened = []
    let nextMs = Infinity
    for (const partition of opened) {
      const dueMs = partition.openedAtMs + lingerMs
      if (partition.hasOpenBatch && lingerMs > 0 && dueMs > nowMs) {
        this.#opened.push(partition)
        nextMs = Math.min(nextMs, dueMs)
        continue
      }
      partition.isToBeSealed = false
      if (partition.hasOpenBatch && (lingerMs > 0 || partition.queue.isEmpty)) this.#seal(partition)
    }
    if (this.#opened.length > 0) this.#schedule(nextMs - nowMs)
  }

  #seal(partition: Partition): void {
    partition.seal()
    this.#options.onSealed(partition)
  }
}
