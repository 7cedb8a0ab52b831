export interface QueuedTimer {
  cancel(): void
}

interface Entry {
  readonly dueMs: number
  readonly order: number
  readonly run: (nowMs: number) => void
}

/** Timers of a state machine: they run only when their owner moves the time, in the order of their times. */
export class TimerQueue {
  readonly #entries = new Set<Entry>()
  #order = 0

  /** Milliseconds since 1970 of the next timer; Infinity: none. */
  get nextDueMs(): number {
    let next = Infinity
    for (const { dueMs } of this.#entries) if (dueMs < next) next = dueMs
    return next
  }

  at(dueMs: number, run: (nowMs: number) => void): QueuedTimer {
    const entry = { dueMs, order: this.#order++, run }
    this.#entries.add(entry)
    return { cancel: () => this.#entries.delete(entry) }
  }

  /** Runs all timers that are due, also those that they add. */
  advance(nowMs: number): void {
    for (;;) {
      let next: Entry | undefined
      for (const entry of this.#entries) {
        if (entry.dueMs > nowMs) continue
        const isEarlier = next === undefined || entry.dueMs < next.dueMs
        if (isEarlier || (entry.dueMs === next?.dueMs && entry.order < next.order)) next = entry
      }
      if (next === undefined) return
      this.#entries.delete(next)
      next.run(nowMs)
    }
  }
}
