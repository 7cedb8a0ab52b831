import type { ConfigStore } from './config-store.ts'
import type { OffsetStore } from './offset-store.ts'
import type { StatusStore } from './status-store.ts'
import type { TextRecord } from './topic-writer.ts'

/** What a group of workers remembers, as the herder sees it. */
export interface Storage {
  readonly configs: ConfigStore
  readonly offsets: OffsetStore
  readonly statuses: StatusStore
  /** Why it does not see changes any more; null while it does. */
  readonly failure: Error | null
  /** Makes `offsets` hold all that was stored when called. */
  readOffsetsToEnd(signal?: AbortSignal): Promise<void>
  /** Stores offsets, or takes them away; `offsets` has them when it resolves. Only while no task writes its own. */
  writeOffsets(records: readonly TextRecord[], signal?: AbortSignal): Promise<void>
}
