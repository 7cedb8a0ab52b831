import type { Logger } from '@tributary/support'
import { ConfigStore } from '../storage/config-store.ts'
import { OffsetStore } from '../storage/offset-store.ts'
import { StatusStore } from '../storage/status-store.ts'
import type { Storage } from '../storage/storage.ts'
import { MemoryLog } from '../storage/testing/memory-log.ts'
import type { TextRecord } from '../storage/topic-writer.ts'

/** The real stores on topics in memory. */
export class MemoryStorage implements Storage {
  readonly configs: ConfigStore
  readonly offsets: OffsetStore
  readonly statuses: StatusStore
  readonly configLog: MemoryLog = new MemoryLog()
  readonly offsetLog: MemoryLog = new MemoryLog()
  readonly statusLog: MemoryLog = new MemoryLog()
  failure: Error | null = null

  constructor(logger: Logger) {
    this.configs = new ConfigStore(this.configLog, logger)
    this.offsets = new OffsetStore(logger)
    this.statuses = new StatusStore(this.statusLog, logger)
    this.configLog.onRecord = (record) => this.configs.apply(record)
    this.offsetLog.onRecord = (record) => this.offsets.apply(record)
    this.statusLog.onRecord = (record) => this.statuses.apply(record)
  }

  readConfigsToEnd(signal?: AbortSignal): Promise<void> {
    return this.configLog.readToEnd(signal)
  }

  dropUnstored(): Promise<void> {
    return Promise.resolve()
  }

  readStatusesToEnd(signal?: AbortSignal): Promise<void> {
    return this.statusLog.readToEnd(signal)
  }

  readOffsetsToEnd(signal?: AbortSignal): Promise<void> {
    return this.offsetLog.readToEnd(signal)
  }

  async writeOffsets(records: readonly TextRecord[], signal?: AbortSignal): Promise<void> {
    await this.offsetLog.write(records)
    await this.offsetLog.readToEnd(signal)
  }

  /** The storage that a restarted worker reads from the same topics. */
  static async restarted({ configLog, offsetLog, statusLog }: MemoryStorage, logger: Logger): Promise<MemoryStorage> {
    const storage = new MemoryStorage(logger)
    await storage.configLog.write(configLog.records)
    await storage.offsetLog.write(offsetLog.records)
    await storage.statusLog.write(statusLog.records)
    return storage
  }
}
