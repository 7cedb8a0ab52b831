import type { ComparableSource } from '@tributary/connector-mysql'
import type { Clock } from '@tributary/support'
import type { TableResult } from './result.ts'
import type { ProgressOptions } from './stream-progress.ts'
import type { TablePlan } from './table-plan.ts'
import type { TopicLog } from './topic/topic-log.ts'
import type { Decoders } from './topic/topic-record.ts'

/** What the comparison of one table needs. */
export interface TableContext {
  readonly plan: TablePlan
  readonly source: ComparableSource
  readonly topic: TopicLog
  /** Why the topic may lack rows of the table; null: it may not. */
  readonly loss: string | null
  readonly decoders: Decoders
  readonly progress: ProgressOptions
  readonly rowsPerSecond: number | null
  /** Rows of the table that are read at once. */
  readonly pageRows: number
  readonly memoryBytesMax: number
  readonly result: TableResult
  readonly onProgress: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
}
