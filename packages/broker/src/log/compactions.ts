/** A run of compaction: all records before `upTo` were looked at. */
export interface Compaction {
  readonly upTo: number
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/**
 * What compaction has done with a log: up to which offset, and when. A tombstone is removed when a run has seen it long
 * enough ago: a reader that began before the run may need that long to reach it.
 */
export class Compactions {
  /** In the order of both their offsets and their times. */
  #runs: Compaction[] = []

  get all(): readonly Compaction[] {
    return this.#runs
  }

  /** The offset up to which a run has seen the log. */
  get upTo(): number {
    return this.#runs.at(-1)?.upTo ?? 0
  }

  add(run: Compaction): void {
    this.#runs.push(run)
  }

  /** The offset before which tombstones and markers of transactions are removed. */
  horizon(deleteRetentionMs: number, nowMs: number): number {
    return this.#runs.findLast(({ atMs }) => nowMs - atMs >= deleteRetentionMs)?.upTo ?? 0
  }

  /** Forgets runs that later ones make superfluous for every `deleteRetentionMs` up to the current one. */
  prune(deleteRetentionMs: number, nowMs: number): void {
    const last = this.#runs.findLastIndex(({ atMs }) => nowMs - atMs >= deleteRetentionMs)
    if (last > 0) this.#runs = this.#runs.slice(last)
  }
}
