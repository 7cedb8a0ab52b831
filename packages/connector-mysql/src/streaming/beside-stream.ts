import type { Poll } from '@tributary/connector-kit'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'

/** Work that goes on beside the stream, in step with its positions: an incremental snapshot. */
export interface BesideStream {
  /** Part of the following positions. It changes before the poll of the source, and within `rows` stages. */
  readonly progress: IncrementalProgress
  /** A poll ends; its records do not change any more. */
  reached(position: StreamPosition, poll: Poll): void
  /** Whether an idle poll at that position is to end, since the work can go on. */
  isDue(position: StreamPosition): boolean
  /** Runs the wait of an idle poll, with a signal that fires with `limit`, or when the work can go on. */
  whileIdle<T>(wait: (signal: AbortSignal) => Promise<T>, limit: AbortSignal): Promise<T>
}
