import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { LoopDelay, ThreadNumbers } from './task-numbers.ts'

/**
 * Measures the thread that it is created in. The delay of the event loop needs a timer; it runs only once somebody has
 * asked for it, so that an idle worker that nobody scrapes does not wake up.
 */
export class ThreadMeter implements Disposable {
  /** A task may start in a thread that has run others: what they have used is not counted. */
  readonly #begin = performance.eventLoopUtilization()
  #delays: ReturnType<typeof monitorEventLoopDelay> | null = null

  /** To be called after a reader has got the numbers: the next ones have the delay of the event loop since then. */
  restartDelay(): void {
    if (this.#delays !== null) return this.#delays.reset()
    this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#delays.enable()
  }

  read(): ThreadNumbers {
    // A tenth of the time of `process.memoryUsage`, which also reads the memory of the process.
    const heap = getHeapStatistics()
    return {
      heapUsedBytes: heap.used_heap_size,
      heapTotalBytes: heap.total_heap_size,
      externalBytes: heap.external_memory,
      busySeconds: performance.eventLoopUtilization(this.#begin).active / 1_000,
      delay: this.#delay(),
    }
  }

  #delay(): LoopDelay | null {
    const delays = this.#delays
    if (delays === null || delays.count === 0) return null
    const seconds = (nanos: number): number => Math.max(0, nanos / 1e9 - RESOLUTION_MS / 1_000)
    return { p50: seconds(delays.percentile(50)), p99: seconds(delays.percentile(99)), max: seconds(delays.max) }
  }

  [Symbol.dispose](): void {
    this.#delays?.disable()
  }
}

/** The interval of the timer, which the histogram includes in each value. */
const RESOLUTION_MS = 20
