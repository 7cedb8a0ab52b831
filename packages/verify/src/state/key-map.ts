import type { Hash64 } from './row-hash.ts'

/** What is known of a key, as bits. */
export const KEY = {
  /** The topic has a row. */
  live: 1,
  /** The last event is a delete without a tombstone after it. */
  awaitsTombstone: 2,
  /** The table has a row. */
  seen: 4,
  /** The key changed while the position was being read. */
  uncertain: 8,
  /** The records of the key are in several partitions. */
  mixed: 16,
} as const

const USED = 128

/** Of an entry: two hashes of 8 bytes, the offset, the partition, the bits. */
export const BYTES_PER_ENTRY: number = 8 + 8 + 8 + 2 + 1

const PARTS = 64
const FULL = 0.8
const GROWTH = 1.4

/**
 * The last state of each key of a topic, in flat memory: hashes of key and row, and where the record is. It consists of
 * parts that grow one at a time, so that growing needs little memory of its own.
 *
 * An entry is addressed by the part and the slot that `find` and `add` leave in `part` and `slot`, valid until the next
 * `add`.
 */
export class KeyMap {
  readonly #parts: Part[] = Array.from({ length: PARTS }, () => new Part(64))
  part: Part = this.#parts[0] as Part
  slot = 0

  /** Entries in use. */
  get size(): number {
    return this.#parts.reduce((sum, { used }) => sum + used, 0)
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { capacity }) => sum + capacity * BYTES_PER_ENTRY, 0)
  }

  get parts(): readonly Part[] {
    return this.#parts
  }

  /** Returns false when there is no entry of the key. */
  find(key: Hash64): boolean {
    this.part = this.#parts[key.high & (PARTS - 1)] as Part
    this.slot = this.part.slotOf(key.low, key.high)
    return (this.part.flags[this.slot] as number) !== 0
  }

  /** Finds the entry of the key, or adds one without state. */
  add(key: Hash64): void {
    if (this.find(key)) return
    const { part } = this
    if (part.used + 1 > part.capacity * FULL) {
      part.grow()
      this.slot = part.slotOf(key.low, key.high)
    }
    part.put(this.slot, key)
  }

  /** Forgets the keys for which `isKept` is false. */
  retain(isKept: (low: number, high: number) => boolean): void {
    for (const part of this.#parts) part.rebuild(part.capacity, isKept)
  }

  /** All keys lose their rows: the table was truncated. */
  clearRows(): void {
    for (const { flags, capacity } of this.#parts) {
      for (let slot = 0; slot < capacity; slot++) {
        flags[slot] = (flags[slot] as number) & ~(KEY.live | KEY.awaitsTombstone)
      }
    }
  }
}

/** A hash table with open addressing. An index is in range by construction: it is below the capacity. */
export class Part {
  capacity: number
  used = 0
  keyLow: Uint32Array
  keyHigh: Uint32Array
  rowLow: Uint32Array
  rowHigh: Uint32Array
  offset: Float64Array
  partition: Uint16Array
  flags: Uint8Array

  constructor(capacity: number) {
    this.capacity = capacity
    this.keyLow = new Uint32Array(capacity)
    this.keyHigh = new Uint32Array(capacity)
    this.rowLow = new Uint32Array(capacity)
    this.rowHigh = new Uint32Array(capacity)
    this.offset = new Float64Array(capacity)
    this.partition = new Uint16Array(capacity)
    this.flags = new Uint8Array(capacity)
  }

  /** The slot of the key, or the free one where it belongs. */
  slotOf(low: number, high: number): number {
    const { capacity, flags, keyLow, keyHigh } = this
    let slot = low % capacity
    while ((flags[slot] as number) !== 0 && (keyLow[slot] !== low || keyHigh[slot] !== high)) {
      slot = slot + 1 === capacity ? 0 : slot + 1
    }
    return slot
  }

  put(slot: number, { low, high }: Hash64): void {
    this.keyLow[slot] = low
    this.keyHigh[slot] = high
    this.rowLow[slot] = 0
    this.rowHigh[slot] = 0
    this.offset[slot] = -1
    this.flags[slot] = USED
    this.used += 1
  }

  /** Forgets keys without a state, and makes room. */
  grow(): void {
    const { flags, capacity } = this
    let kept = 0
    for (let slot = 0; slot < capacity; slot++) if (((flags[slot] as number) & ~USED) !== 0) kept += 1
    this.rebuild(Math.max(64, Math.ceil((kept / FULL) * GROWTH)), () => true)
  }

  rebuild(capacity: number, isKept: (low: number, high: number) => boolean): void {
    const next = new Part(capacity)
    for (let from = 0; from < this.capacity; from++) {
      const flags = this.flags[from] as number
      if ((flags & ~USED) === 0) continue
      const [low, high] = [this.keyLow[from] as number, this.keyHigh[from] as number]
      if (!isKept(low, high)) continue
      const slot = next.slotOf(low, high)
      next.put(slot, { low, high })
      next.rowLow[slot] = this.rowLow[from] as number
      next.rowHigh[slot] = this.rowHigh[from] as number
      next.offset[slot] = this.offset[from] as number
      next.partition[slot] = this.partition[from] as number
      next.flags[slot] = flags
    }
    Object.assign(this, next)
  }
}
