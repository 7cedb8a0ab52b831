import type { ProducerStats } from '@tributary/kafka'
import type { TaskMeters } from '../task-meters.ts'
import type { ErrorCounters } from '../tolerance/record-errors.ts'

/** Everything that the metrics of a task are read from. */
export interface TaskNumbers {
  /** Milliseconds since 1970. */
  readonly nowMs: number
  readonly meters: TaskMeters
  readonly errors: ErrorCounters
  /** When the last record failed, in milliseconds since 1970; 0: none has. */
  readonly lastErrorMs: number
  readonly producer: ProducerStats
  readonly inFlight: number
  /** Null before the first change that has a time. */
  readonly lagMs: number | null
  /** Bytes of unacknowledged records, and their limit. */
  readonly queue: QueueFill
  readonly thread: ThreadNumbers
}

export interface QueueFill {
  readonly bytes: number
  readonly bytesMax: number
}

/** What a thread measures of itself. */
export interface ThreadNumbers {
  /** Bytes in use in the V8 heap of the thread. */
  readonly heapUsedBytes: number
  /** Bytes that the V8 heap of the thread has reserved. */
  readonly heapTotalBytes: number
  /** Bytes outside of the heap that its objects refer to: buffers. */
  readonly externalBytes: number
  /** The part of the time since the thread started in which its event loop was busy, in seconds. */
  readonly busySeconds: number
  /** Seconds by which a timer was late: in the median, in 99 of 100 cases, at most; since measuring began. */
  readonly delay: LoopDelay | null
}

export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}
