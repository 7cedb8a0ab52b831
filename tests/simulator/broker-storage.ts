import type { BrokerStorage, JournalEntry, PartitionStorage, StoredBatch, StoredSegment } from '@tributary/broker'

/** Sees each batch when it is stored, before the answer is sent. */
export type OnAppend = (topic: string, partition: number, batch: Buffer) => void

interface Kept {
  readonly baseOffset: number
  readonly bytes: Buffer
}

/** The disk of the brokers: survives their restarts, may be full, and shows the simulation what is written. */
export class SimulatedDisk implements BrokerStorage {
  readonly isJournalLong = false
  /** Topics whose disk is full: names, or parts of names. */
  fullFor: (topic: string) => boolean = () => false
  refusedAppends = 0
  readonly #onAppend: OnAppend
  #journal: JournalEntry[] = []
  readonly #names = new Map<string, string>()
  readonly #batches = new Map<string, Kept[]>()

  constructor(onAppend: OnAppend) {
    this.#onAppend = onAppend
  }

  recoverJournal(): readonly JournalEntry[] {
    return [...this.#journal]
  }

  append(entry: JournalEntry): void {
    this.#journal.push(entry)
    if (entry.tag === 'topic') this.#names.set(entry.id, entry.name)
  }

  rewriteJournal(entries: readonly JournalEntry[]): void {
    this.#journal = []
    for (const entry of entries) this.append(entry)
  }

  partition(topicId: string, index: number): PartitionStorage {
    const key = `${topicId}-${index}`
    const kept = this.#batches.get(key) ?? []
    this.#batches.set(key, kept)
    const store = (batch: Buffer): StoredBatch => {
      const name = this.#names.get(topicId) ?? ''
      if (this.fullFor(name) && !isControl(batch)) {
        this.refusedAppends += 1
        throw new Error('No space left on device')
      }
      const bytes = Buffer.from(batch)
      kept.push({ baseOffset: Number(bytes.readBigInt64BE(0)), bytes })
      this.#onAppend(name, index, bytes)
      return { length: bytes.length, read: () => bytes }
    }
    return {
      recover: () => segments(kept),
      append: store,
      roll: () => undefined,
      deleteOldest: () => undefined,
      // Segments end after a gigabyte or a week.
      replace: () => {
        throw new Error('the simulated storage has no segments to replace')
      },
    }
  }

  deleteTopic(topicId: string): void {
    for (const key of this.#batches.keys()) if (key.startsWith(`${topicId}-`)) this.#batches.delete(key)
  }

  close(): void {
    // It survives.
  }
}

/** A broker keeps space for the markers of transactions. */
function isControl(batch: Buffer): boolean {
  return (batch.readInt16BE(21) & (1 << 5)) !== 0
}

function segments(kept: readonly Kept[]): readonly StoredSegment[] {
  const [first] = kept
  if (first === undefined) return []
  const batches = kept.map(({ bytes }) => ({ length: bytes.length, read: () => bytes }))
  return [{ baseOffset: first.baseOffset, batches }]
}
