import type { ConnectValue } from '@tributary/connect-api'
import { toError } from '@tributary/support'
import type { ChunkKey, KeyPoint } from '../chunks/chunk-key.ts'
import type { SnapshotCollection } from '../offset/incremental-progress.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { Chunk, ChunkBorder } from './chunk-reader.ts'
import { isCertain, type RowIdentity } from './row-identity.ts'

type Row = readonly ConnectValue[]

/** What a window is for. */
export interface WindowTarget {
  readonly collection: SnapshotCollection
  readonly table: CapturedTable
  readonly key: ChunkKey
  /** The key of the last row before the chunk; null: it is the first one. */
  readonly after: KeyPoint | null
}

/**
 * The window of a chunk: from before it is read until the stream has reached the place where it was read. A row that the
 * stream changes meanwhile is left out of the chunk, since its change is newer, or the chunk contains it.
 *
 * Where records do not identify rows, any change spoils the window: the chunk is read again. So does a change of one of
 * several rows that records do not distinguish, if the chunk has one of them.
 */
export class ChunkWindow {
  readonly target: WindowTarget
  /** Null: records do not identify rows. */
  readonly identity: RowIdentity | null
  /** Where the chunk ends; null: it is not known yet. */
  border: ChunkBorder | null = null
  /** Rows that were changed while the chunk is being read. */
  #changed = new Set<string>()
  /** The numbers of the rows, by identity. Null: no row of the table was changed, so that nothing is looked up. */
  #index: ReadonlyMap<string, readonly number[]> | null = null
  /** The numbers of rows that are left out. */
  readonly #leftOut = new Set<number>()
  /** The number of the row that is taken next. */
  #next = 0
  #isSpoilt = false
  #statement: string | null = null
  #damage: Error | null = null
  #chunk: Chunk | null = null

  constructor(target: WindowTarget, identity: RowIdentity | null) {
    this.target = target
    this.identity = identity
  }

  /** Null: it is being read. */
  get chunk(): Chunk | null {
    return this.#chunk
  }

  /** The chunk has to be read again. */
  get isSpoilt(): boolean {
    return this.#isSpoilt
  }

  /** The error of a row that cannot be read; null: all rows can be. */
  get damage(): Error | null {
    return this.#damage
  }

  /** All rows of the chunk are taken, or left out. */
  get isEmpty(): boolean {
    const count = this.#chunk?.rows.length ?? 0
    for (let i = this.#next; i < count; i++) if (!this.#leftOut.has(i)) return false
    return true
  }

  /** Changed rows that are remembered because the chunk has not arrived. */
  get changedCount(): number {
    return this.#changed.size
  }

  /** The statement that has changed the table; null: none has. */
  get statement(): string | null {
    return this.#statement
  }

  spoil(statement: string | null = null): void {
    this.#isSpoilt = true
    this.#statement ??= statement
  }

  /** The stream has changed these rows; null: rows that records do not identify. */
  leaveOut(identities: readonly string[] | null): void {
    if (identities === null) this.#isSpoilt = true
    else for (const identity of identities) this.#leaveOut(identity)
  }

  fill(chunk: Chunk): void {
    this.#chunk = chunk
    this.border = chunk
    const changed = this.#changed
    this.#changed = new Set()
    for (const identity of changed) this.#leaveOut(identity)
  }

  /**
   * Removes and returns the first rows.
   *
   * @throws errors of a row that cannot be read
   */
  take(count: number): readonly Row[] {
    const taken: Row[] = []
    const rows = this.#chunk?.rows
    if (rows === undefined) return taken
    while (this.#next < rows.length && taken.length < count) {
      if (!this.#leftOut.has(this.#next)) taken.push(rows.at(this.#next))
      this.#next += 1
    }
    return taken
  }

  #leaveOut(identity: string): void {
    const chunk = this.#chunk
    if (chunk === null) {
      this.#changed.add(identity)
      return
    }
    const numbers = this.#indexOf(chunk).get(identity) ?? []
    const here = numbers.filter((number) => number >= this.#next && !this.#leftOut.has(number))
    if (here.length === 0) return
    // Which row was changed is not known.
    if (here.length > 1 || !isCertain(identity)) this.#isSpoilt = true
    for (const number of here) this.#leftOut.add(number)
  }

  #indexOf({ rows }: Chunk): ReadonlyMap<string, readonly number[]> {
    if (this.#index !== null) return this.#index
    const index = new Map<string, number[]>()
    this.#index = index
    try {
      for (let i = 0; this.identity !== null && i < rows.length; i++) {
        const name = this.identity.ofRow(rows.at(i))
        const same = index.get(name)
        if (same === undefined) index.set(name, [i])
        else same.push(i)
      }
    } catch (error) {
      this.#damage = toError(error)
    }
    return index
  }
}
