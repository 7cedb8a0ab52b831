import type { ConfigMap } from '@tributary/connect-api'
import type { OffsetStore } from './offset-store.ts'
import type { Storage } from './storage.ts'
import type { TextRecord } from './topic-writer.ts'

/** The stored offsets of connectors: in the offset topic of the worker, or also in a topic of the connector's own. */
export interface OffsetAccess {
  /** Reads all offsets of the connector that were stored before the call. `config`: as stored, with references. */
  read(connector: string, config: ConfigMap, signal: AbortSignal): Promise<OffsetStore>
  /** Stores or removes offsets. Call it only while no task of the connector runs. */
  write(connector: string, config: ConfigMap, records: readonly TextRecord[], signal: AbortSignal): Promise<void>
}

/** Offsets in the offset topic of the worker. */
export class WorkerOffsets implements OffsetAccess {
  readonly #storage: Pick<Storage, 'offsets' | 'readOffsetsToEnd' | 'writeOffsets'>

  constructor(storage: Pick<Storage, 'offsets' | 'readOffsetsToEnd' | 'writeOffsets'>) {
    this.#storage = storage
  }

  async read(_connector: string, _config: ConfigMap, signal: AbortSignal): Promise<OffsetStore> {
    await this.#storage.readOffsetsToEnd(signal)
    return this.#storage.offsets
  }

  write(_connector: string, _config: ConfigMap, records: readonly TextRecord[], signal: AbortSignal): Promise<void> {
    return this.#storage.writeOffsets(records, signal)
  }
}
