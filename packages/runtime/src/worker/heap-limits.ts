/** How large the two generations of a task's heap may become before they are collected, in MB. */
export interface HeapLimits {
  readonly youngMb: number
  readonly oldMb: number
}

/**
 * The heap of the next task while `running` others run in this worker. The first four have the size that makes them
 * fast. With more tasks each gets a share: together they use the processors fully anyway, and would run out of memory
 * first.
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
 * Records live for some milliseconds, from the poll to the batch. With enough room in the young generation they die
 * there, and the collector does not copy them twice (bench/journal/2026-11-21-drain.md). A larger size made nothing
 * faster, and its memory stays until a task is idle.
 */
const YOUNG_MB = 32
const YOUNG_MB_MIN = 16

/**
 * The size at which the old generation is collected first. The engine starts with 16 MB and counts everything that
 * sockets have allocated since the last collection, freed or not: a task whose heap stayed at 14 MB was collected eight
 * times a second while it read 90 MB/s, which took a seventh of its time
 * (bench/journal/2026-11-22-needless-collections.md). Sockets now read into reused memory
 * (docs/adr/0017-sockets-read-into-blocks.md). What a start leaves, 16 MB of it with 2,000 tables, is collected at 40
 * MB already: the peak of W7 is 171 MB instead of 187 with 64, and W1 and W4 are as fast.
 */
const OLD_MB = 40
const OLD_MB_MIN = 32
