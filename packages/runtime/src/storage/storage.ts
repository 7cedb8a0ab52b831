import type { ConfigStore } from './config-store.ts'
import type { OffsetStore } from './offset-store.ts'
import type { StatusStore } from './status-store.ts'

/** What a group of workers remembers, as the herder sees it. */
export interface Storage {
  readonly configs: ConfigStore
  readonly offsets: OffsetStore
  readonly statuses: StatusStore
  /** Why it does not see changes any more; null while it does. */
  readonly failure: Error | null
  /** Makes `offsets` hold all that was stored when called. */
  readOffsetsToEnd(signal?: AbortSignal): Promise<void>
}
