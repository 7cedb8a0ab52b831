/** Prefixes that are remembered at a time; a batch of one table has two, of its keys and of its values. */
export const PREFIX_SLOTS = 8

/**
 * Where each prefix was last written in a block. Prefixes are compared by identity (`RecordPart.prefix`): another
 * object with the same bytes has a slot of its own. When all slots are taken, a new prefix replaces the one that has
 * its slot longest.
 */
export class PrefixPositions {
  readonly #prefixes: Uint8Array[] = []
  readonly #positions: number[] = []
  #added = 0

  /** The slot of a prefix, below PREFIX_SLOTS. */
  slotOf(prefix: Uint8Array): number {
    const prefixes = this.#prefixes
    for (let i = 0; i < prefixes.length; i++) if (prefixes[i] === prefix) return i
    const slot = this.#added++ % PREFIX_SLOTS
    prefixes[slot] = prefix
    this.#positions[slot] = NEVER
    return slot
  }

  /**
   * Stores that the prefix of a slot is written at `position`. Returns the distance to where it was written last, or a
   * distance of more than 2^29 when this block does not hold it yet.
   */
  move(slot: number, position: number): number {
    // In range: `slotOf` has set it.
    const distance = position - (this.#positions[slot] as number)
    this.#positions[slot] = position
    return distance
  }

  /** Forgets all positions: a block cannot refer to bytes of the block before. */
  clear(): void {
    this.#positions.fill(NEVER)
  }
}

/** A number of 32 bits, so that the positions stay an array of small integers; no position of a block is near it. */
const NEVER: number = -(2 ** 30)
