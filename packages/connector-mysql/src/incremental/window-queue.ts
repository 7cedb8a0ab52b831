import type { SourceRecord } from '@tributary/connect-api'
import type { TableId } from '@tributary/connector-kit'
import type { Chunk } from './chunk-reader.ts'
import { ChunkWindow, type WindowTarget } from './chunk-window.ts'
import { RowIdentity } from './row-identity.ts'

export interface ReadChunk {
  readonly window: ChunkWindow
  readonly chunk: Chunk
}

/**
 * The open windows, in the order in which their rows become records: that of tables and keys. The first one is due next;
 * the chunks of the others are read ahead. Each is opened between two polls and sees all changes from there on.
 */
export class WindowQueue {
  #windows: ChunkWindow[] = []
  /** The changes of the poll, with their numbers in it. */
  #ofPoll: { readonly at: number; readonly record: SourceRecord; readonly table: TableId }[] = []

  get first(): ChunkWindow | null {
    return this.#windows[0] ?? null
  }

  /** The first one, if its chunk was read. */
  get read(): ReadChunk | null {
    const { first } = this
    const chunk = first?.chunk ?? null
    return first === null || chunk === null ? null : { window: first, chunk }
  }

  get last(): ChunkWindow | null {
    return this.#windows.at(-1) ?? null
  }

  get length(): number {
    return this.#windows.length
  }

  /** Of the chunks that were read. */
  get bytes(): number {
    return this.#windows.reduce((sum, { chunk }) => sum + (chunk?.bytes ?? 0), 0)
  }

  /** Changed rows that are remembered because the chunks of their windows have not arrived. */
  get changedCount(): number {
    return this.#windows.reduce((sum, { changedCount }) => sum + changedCount, 0)
  }

  has(window: ChunkWindow): boolean {
    return this.#windows.includes(window)
  }

  open(target: WindowTarget): ChunkWindow {
    const { last } = this
    const identity = last?.target.table === target.table ? last.identity : RowIdentity.of(target.table)
    const window = new ChunkWindow(target, identity)
    this.#windows.push(window)
    return window
  }

  /** The first one is complete. */
  shift(): void {
    this.#windows.shift()
  }

  /** Closes the windows from that one on: what follows a chunk begins where it ends. */
  dropFrom(window: ChunkWindow): void {
    const at = this.#windows.indexOf(window)
    if (at >= 0) this.#windows = this.#windows.slice(0, at)
  }

  dropAfter(window: ChunkWindow): void {
    this.#windows = this.#windows.slice(0, this.#windows.indexOf(window) + 1)
  }

  /** The stream has made records of a change of the table: those from `first` on. */
  note(table: TableId, records: readonly SourceRecord[], first: number): void {
    const windows = this.#of(table)
    if (windows.length === 0) return
    for (let at = first; at < records.length; at++) {
      const record = records[at]
      if (record === undefined) continue
      this.#ofPoll.push({ at, record, table })
      let known: RowIdentity | null = null
      let identities: readonly string[] | null = null
      for (const window of windows) {
        if (window.identity !== known) identities = window.identity?.ofRecord(record) ?? null
        known = window.identity
        window.leaveOut(identities)
      }
    }
  }

  /** Ends a poll. A rollback has removed records whose rows were left out: their chunks are read again. */
  endPoll(records: readonly SourceRecord[]): void {
    if (this.#ofPoll.length === 0) return
    for (const { at, record, table } of this.#ofPoll) if (records[at]?.value !== record.value) this.spoil(table)
    this.#ofPoll = []
  }

  /** The chunks of a table are read again; null: of all tables. `statement`: what has changed it, for messages. */
  spoil(table: TableId | null, statement: string | null = null): void {
    for (const window of table === null ? this.#windows : this.#of(table)) window.spoil(statement)
  }

  #of(table: TableId): readonly ChunkWindow[] {
    return this.#windows.filter(({ target }) => target.table.table.id === table)
  }
}
