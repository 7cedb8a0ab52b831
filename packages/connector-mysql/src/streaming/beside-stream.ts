import type { Poll } from '@tributary/connector-kit'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'

/** Work that runs beside the stream, synchronised with its positions: an incremental snapshot. */
export interface BesideStream {
  /** Part of the following positions. It changes before the poll of the source, and within `rows` stages. */
  readonly progress: IncrementalProgress
  /** A poll ends; its records do not change any more. */
  reached(position: StreamPosition, poll: Poll): void
  /** Whether an idle poll at that position must return, because the work can continue. */
  isDue(position: StreamPosition): boolean
  /** Runs `wait` of an idle poll. Its signal fires when `limit` fires, or when the work can continue. */
  whileIdle<T>(wait: (signal: AbortSignal) => Promise<T>, limit: AbortSignal): Promise<T>
}
