import type { OffsetDocument } from '@tributary/connect-api'
import type { ChangePosition } from '../pipeline/change.ts'

/** A position in the log of a `MemoryDatabase`: the number of entries that are done. */
export class MemoryPosition implements ChangePosition {
  readonly entries: number
  readonly isSnapshot: boolean

  constructor(entries: number, isSnapshot = false) {
    this.entries = entries
    this.isSnapshot = isSnapshot
  }

  static parse({ entries, snapshot }: OffsetDocument): MemoryPosition {
    return new MemoryPosition(Number(entries), snapshot === true)
  }

  isSamePlace(other: MemoryPosition): boolean {
    return this.entries === other.entries && this.isSnapshot === other.isSnapshot
  }

  toDocument(): OffsetDocument {
    return { entries: this.entries, ...(this.isSnapshot ? { snapshot: true } : {}) }
  }
}
