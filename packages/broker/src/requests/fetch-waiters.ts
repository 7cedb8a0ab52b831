import type { PartitionLog } from '../log/partition-log.ts'

/** Fetch requests that wait for records. Each is evaluated again when one of its logs has grown. */
export class FetchWaiters {
  readonly #waiting = new Map<PartitionLog, Set<(nowMs: number) => void>>()

  /** Calls `look` whenever one of the logs has grown, until the result is called. */
  watch(logs: readonly PartitionLog[], look: (nowMs: number) => void): () => void {
    for (const log of logs) {
      const looks = this.#waiting.get(log) ?? new Set()
      this.#waiting.set(log, looks)
      looks.add(look)
    }
    return () => {
      for (const log of logs) {
        const looks = this.#waiting.get(log)
        looks?.delete(look)
        if (looks?.size === 0) this.#waiting.delete(log)
      }
    }
  }

  /** The log has new records, or a transaction has ended. */
  grown(log: PartitionLog, nowMs: number): void {
    for (const look of this.#waiting.get(log) ?? []) look(nowMs)
  }
}
