import type { ConfigStore } from './config-store.ts'
import type { OffsetStore } from './offset-store.ts'
import type { StatusStore } from './status-store.ts'
import type { TextRecord } from './topic-writer.ts'

/** The stored state of a group of workers, as the herder sees it. */
export interface Storage {
  readonly configs: ConfigStore
  readonly offsets: OffsetStore
  readonly statuses: StatusStore
  /** Why changes no longer arrive; null while they do. */
  readonly failure: Error | null
  /** Resolves when `configs` has everything that was stored before the call. */
  readConfigsToEnd(signal?: AbortSignal): Promise<void>
  /** Drops writes that are not acknowledged yet: they may contradict records of another worker. */
  dropUnstored(): Promise<void>
  /** Resolves when `statuses` has everything that was stored before the call. */
  readStatusesToEnd(signal?: AbortSignal): Promise<void>
  /** Resolves when `offsets` has everything that was stored before the call. */
  readOffsetsToEnd(signal?: AbortSignal): Promise<void>
  /** Stores or removes offsets; `offsets` has them when it resolves. Only while no task of the connector runs. */
  writeOffsets(records: readonly TextRecord[], signal?: AbortSignal): Promise<void>
}
