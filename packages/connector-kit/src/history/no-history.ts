import type { CheckpointStore } from './checkpoint.ts'
import type { HistoryExtent, SchemaHistory } from './schema-history.ts'

/**
 * The history of a task that keeps nothing: each start finds none, and what is appended is dropped. While the task runs,
 * its table model has the definitions.
 */
export class NoSchemaHistory implements SchemaHistory {
  readonly checkpoints: CheckpointStore = {
    read: () => Promise.resolve([]),
    write: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
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

  recover(): Promise<HistoryExtent | null> {
    return Promise.resolve(null)
  }

  extent(): Promise<HistoryExtent | null> {
    return Promise.resolve(null)
  }

  fingerprint(): Promise<string | null> {
    return Promise.resolve(null)
  }

  get end(): bigint | null {
    return null
  }

  measure(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}
