import type { CheckpointStore } from './checkpoint.ts'
import type { HistoryExtent, HistoryRecord, RecoverOptions, SchemaHistory } from './schema-history.ts'

/**
 * A history that another program writes: it is read, and what would be written is dropped. Nothing that writes reaches
 * the other history, so that no mistake of a caller can change it.
 */
export class ReadOnlySchemaHistory implements SchemaHistory {
  readonly #history: SchemaHistory
  readonly checkpoints: CheckpointStore

  constructor(history: SchemaHistory) {
    this.#history = history
    const { checkpoints } = history
    this.checkpoints = {
      read: (server, signal) => checkpoints.read(server, signal),
      write: () => Promise.resolve(),
      [Symbol.asyncDispose]: async () => checkpoints[Symbol.asyncDispose](),
    }
  }

  connect(): Promise<void> {
    return Promise.resolve()
  }

  initialize(): Promise<void> {
    return Promise.resolve()
  }

  prepare(): Promise<void> {
    return Promise.resolve()
  }

  append(): Promise<void> {
    return Promise.resolve()
  }

  recover(onRecord: (record: HistoryRecord) => void, options?: RecoverOptions): Promise<HistoryExtent | null> {
    return this.#history.recover(onRecord, options)
  }

  extent(signal?: AbortSignal): Promise<HistoryExtent | null> {
    return this.#history.extent(signal)
  }

  fingerprint(offset: bigint, signal?: AbortSignal): Promise<string | null> {
    return this.#history.fingerprint(offset, signal)
  }

  get end(): bigint | null {
    return this.#history.end
  }

  measure(signal?: AbortSignal): Promise<void> {
    return this.#history.measure(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#history[Symbol.asyncDispose]()
  }
}
