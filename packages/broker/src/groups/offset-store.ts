import type { BrokerStorage } from '../storage/broker-storage.ts'
import type { JournalOffset } from '../storage/journal-entry.ts'

/** Committed offsets per group. Every change is in the journal before it is visible. */
export class OffsetStore {
  readonly #storage: BrokerStorage
  /** Group → topic and partition (`topic/partition`) → offset. */
  readonly #groups = new Map<string, Map<string, JournalOffset>>()

  constructor(storage: BrokerStorage) {
    this.#storage = storage
  }

  get groups(): Iterable<string> {
    return this.#groups.keys()
  }

  has(group: string): boolean {
    return this.#groups.has(group)
  }

  get(group: string, topic: string, partition: number): JournalOffset | undefined {
    return this.#groups.get(group)?.get(keyOf(topic, partition))
  }

  all(group: string): readonly JournalOffset[] {
    return [...(this.#groups.get(group)?.values() ?? [])]
  }

  commit(group: string, offsets: readonly JournalOffset[]): void {
    if (offsets.length === 0) return
    this.#storage.append({ tag: 'offsets', group, offsets })
    this.restore(group, offsets)
  }

  restore(group: string, offsets: readonly JournalOffset[]): void {
    let known = this.#groups.get(group)
    if (known === undefined) this.#groups.set(group, (known = new Map<string, JournalOffset>()))
    for (const offset of offsets) known.set(keyOf(offset.topic, offset.partition), offset)
  }

  delete(group: string, topic: string, partition: number): void {
    this.#storage.append({ tag: 'offset deleted', group, topic, partition })
    this.restoreDeletion(group, topic, partition)
  }

  restoreDeletion(group: string, topic: string, partition: number): void {
    const known = this.#groups.get(group)
    known?.delete(keyOf(topic, partition))
    if (known?.size === 0) this.#groups.delete(group)
  }

  deleteGroup(group: string): void {
    this.#storage.append({ tag: 'group deleted', group })
    this.forgetGroup(group)
  }

  forgetGroup(group: string): void {
    this.#groups.delete(group)
  }

  /** A deleted topic has no committed offsets. */
  deleteTopic(topic: string): void {
    for (const [group, offsets] of this.#groups) {
      for (const offset of offsets.values()) {
        if (offset.topic === topic) this.delete(group, topic, offset.partition)
      }
    }
  }
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`
}
