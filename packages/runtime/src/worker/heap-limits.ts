/** How large the two generations of a task's heap may become before they are gone through, in MB. */
export interface HeapLimits {
  readonly youngMb: number
  readonly oldMb: number
}

/**
 * The heap of the next task when `running` others run in this worker. The first have as much as makes them fast; what more of them take is
 * divided, since together they fill the processors anyway, and memory is what they would run out of.
 */
export function heapLimits(running: number): HeapLimits {
  const share = Math.min(1, FULL_SIZE_TASKS / (running + 1))
  return {
    youngMb: Math.max(YOUNG_MB_MIN, Math.round(YOUNG_MB * share)),
    oldMb: Math.max(OLD_MB_MIN, Math.round(OLD_MB * share)),
  }
}

const FULL_SIZE_TASKS = 4

/**
 * Records live for some milliseconds, between poll and batch: with room for them in the young generation they die there, and the
 * collector does not copy them twice (bench/journal/2026-11-21-drain.md). More than this made nothing faster, and stays in memory until a task is idle.
 */
const YOUNG_MB = 32
const YOUNG_MB_MIN = 16

/**
 * When the old generation is gone through first. The engine begins with 16 MB and adds to what is there all that sockets have given since the
 * last time, freed or not: a task whose heap stayed at 14 MB was gone through eight times a second while it read 90 MB/s, a seventh of its
 * time (bench/journal/2026-11-22-needless-collections.md). Sockets read into memory that is used again by now (docs/adr/0017-sockets-read-into-blocks.md),
 * and what a start leaves behind, 16 MB of it with 2,000 tables, is collected at 40 MB already: W7 with a peak of 171 MB instead of 187 with 64, W1
 * and W4 as fast.
 */
const OLD_MB = 40
const OLD_MB_MIN = 32
