import type { CheckpointHeader, CheckpointStore, StoredCheckpoint } from './checkpoint.ts'

/** Checkpoints in memory, for tests. */
export class MemoryCheckpoints implements CheckpointStore {
  /** The newest first. */
  stored: readonly StoredCheckpoint[] = []

  read(server: string): Promise<readonly StoredCheckpoint[]> {
    return Promise.resolve(this.stored.filter((checkpoint) => checkpoint.server === server))
  }

  write(header: CheckpointHeader, entries: Iterable<string>): Promise<void> {
    const texts = [...entries]
    this.stored = [{ ...header, entries: () => texts }, ...this.stored.slice(0, 1)]
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}
