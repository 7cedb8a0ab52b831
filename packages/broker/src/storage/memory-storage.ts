import type { BrokerStorage, PartitionStorage, StoredBatch } from './broker-storage.ts'
import type { JournalEntry } from './journal-entry.ts'

/** Keeps batches in memory; everything is gone with the process. */
export class MemoryStorage implements BrokerStorage {
  readonly isJournalLong = false

  recoverJournal(): readonly JournalEntry[] {
    return []
  }

  append(): void {}

  rewriteJournal(): void {}

  partition(): PartitionStorage {
    return memoryPartition
  }

  deleteTopic(): void {}

  close(): void {}
}

/** Keeps nothing itself: the partition log references the batches. */
const memoryPartition: PartitionStorage = {
  recover: () => [],
  append: (batch) => new MemoryBatch(batch),
  roll: () => {},
  deleteOldest: () => {},
  replace: (_, batches) => batches.map((batch) => new MemoryBatch(batch)),
}

class MemoryBatch implements StoredBatch {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    // A view would keep the whole request, and perhaps a whole block of the socket, in memory.
    this.#bytes = Buffer.from(bytes)
  }

  get length(): number {
    return this.#bytes.length
  }

  read(): Buffer {
    return this.#bytes
  }
}
