import type { ConnectValue, SourceRecord } from '@tributary/connect-api'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { ChunkKey, KeyPoint } from '../chunks/chunk-key.ts'
import type { Chunk } from './chunk-reader.ts'
import { isCertain, RowIdentity } from './row-identity.ts'

type Row = readonly ConnectValue[]

/** What a window is for. */
export interface WindowTarget {
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
  readonly #identity: RowIdentity | null
  /** Rows that were changed while the chunk is being read. */
  #changed = new Set<string>()
  /** By identity; without one, each by its number. In the order of their keys. */
  #rows = new Map<string, readonly Row[]>()
  /** The changes of the poll, with their numbers in it. */
  #ofPoll: { readonly at: number; readonly record: SourceRecord }[] = []
  #isSpoilt = false
  #chunk: Chunk | null = null

  constructor(target: WindowTarget) {
    this.target = target
    this.#identity = RowIdentity.of(target.table)
  }

  /** Null: it is being read. */
  get chunk(): Chunk | null {
    return this.#chunk
  }

  /** The chunk has to be read again. */
  get isSpoilt(): boolean {
    return this.#isSpoilt
  }

  /** Rows of the chunk that were not taken. */
  get isEmpty(): boolean {
    return this.#rows.size === 0
  }

  /** Changed rows that are remembered because the chunk has not arrived. */
  get changedCount(): number {
    return this.#changed.size
  }

  spoil(): void {
    this.#isSpoilt = true
  }

  /** The stream has made records of a change of the table: those from `first` on. */
  note(records: readonly SourceRecord[], first: number): void {
    for (let at = first; at < records.length; at++) {
      const record = records[at]
      if (record === undefined) continue
      this.#ofPoll.push({ at, record })
      if (this.#identity === null) this.#isSpoilt = true
      else for (const identity of this.#identity.ofRecord(record)) this.#leaveOut(identity)
    }
  }

  /** Ends a poll. A rollback has removed records whose rows were left out of the chunk: then it is read again. */
  endPoll(records: readonly SourceRecord[]): void {
    if (this.#ofPoll.length === 0) return
    if (this.#ofPoll.some(({ at, record }) => records[at]?.value !== record.value)) this.#isSpoilt = true
    this.#ofPoll = []
  }

  fill(chunk: Chunk): void {
    this.#chunk = chunk
    for (const [i, row] of chunk.rows.entries()) {
      const identity = this.#identity?.ofRow(row) ?? String(i)
      if (this.#changed.has(identity)) {
        if (!isCertain(identity)) this.#isSpoilt = true
        continue
      }
      const same = this.#rows.get(identity)
      this.#rows.set(identity, same === undefined ? [row] : [...same, row])
    }
    this.#changed = new Set()
  }

  /** Removes and returns the first rows. */
  take(count: number): readonly Row[] {
    const taken: Row[] = []
    for (const [identity, rows] of this.#rows) {
      if (taken.length >= count) break
      this.#rows.delete(identity)
      taken.push(...rows)
    }
    return taken
  }

  #leaveOut(identity: string): void {
    if (this.#chunk === null) {
      this.#changed.add(identity)
      return
    }
    const rows = this.#rows.get(identity)
    if (rows === undefined) return
    // Which row was changed is not known.
    if (rows.length > 1 || !isCertain(identity)) this.#isSpoilt = true
    this.#rows.delete(identity)
  }
}
