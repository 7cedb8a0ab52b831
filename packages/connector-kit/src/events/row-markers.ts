import type { SnapshotMarker } from './record-format.ts'

/** A table whose rows are being read. */
export interface MarkedTable<T, R> {
  readonly table: T
  /** The last row so far: only the next one, or the end, decides its marker. */
  held: R | null
  /** No row of the table has been emitted yet. */
  isFirst: boolean
}

/**
 * Finds the marker of each row of a snapshot: first, last, first or last of its table. Several tables may be read at
 * the same time. The last row of each is held back until another row follows in any of them, or the end.
 */
export class RowMarkers<T, R> {
  readonly #emit: (table: T, row: R, marker: SnapshotMarker) => void
  #ended: { readonly table: T; readonly row: R } | null = null
  #hasBegun = false

  constructor(emit: (table: T, row: R, marker: SnapshotMarker) => void) {
    this.#emit = emit
  }

  beginTable(table: T): MarkedTable<T, R> {
    return { table, held: null, isFirst: true }
  }

  push(marked: MarkedTable<T, R>, row: R): void {
    const { held } = marked
    marked.held = row
    if (this.#ended !== null) this.#releaseEnded()
    if (held === null) return
    this.#emitMarked(marked.table, held, marked.isFirst ? 'first_in_data_collection' : 'true')
    marked.isFirst = false
  }

  /** Whether the row of the table was pushed and not emitted. */
  isHeld(marked: MarkedTable<T, R>, row: R): boolean {
    return marked.held === row || this.#ended?.row === row
  }

  endTable(marked: MarkedTable<T, R>): void {
    const { table, held } = marked
    if (held === null) return
    marked.held = null
    this.#releaseEnded()
    this.#ended = { table, row: held }
  }

  /** No row follows. */
  end(): void {
    const ended = this.#ended
    if (ended === null) return
    this.#ended = null
    this.#hasBegun = true
    this.#emit(ended.table, ended.row, 'last')
  }

  #releaseEnded(): void {
    const ended = this.#ended
    if (ended === null) return
    this.#ended = null
    this.#emitMarked(ended.table, ended.row, 'last_in_data_collection')
  }

  /** Of several markers that are true of one row, the stronger one is emitted (AbstractSnapshotContext of Debezium). */
  #emitMarked(table: T, row: R, marker: SnapshotMarker): void {
    this.#emit(table, row, this.#hasBegun ? marker : 'first')
    this.#hasBegun = true
  }
}
