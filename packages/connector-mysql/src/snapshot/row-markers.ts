import type { SnapshotMarker } from '@tributary/connector-kit'

/** A row that waits until it is known whether another one follows. */
interface HeldRow<R> {
  readonly row: R
  readonly isFirst: boolean
  readonly isFirstInTable: boolean
  isLastInTable: boolean
}

/**
 * Finds out for each row of a snapshot where it stands: first, last, first or last of its table. One row is held back, because
 * only the next one, or the end, says which it is.
 */
export class RowMarkers<R> {
  readonly #emit: (row: R, marker: SnapshotMarker) => void
  #held: HeldRow<R> | null = null
  #isFirst = true
  #isFirstInTable = true

  constructor(emit: (row: R, marker: SnapshotMarker) => void) {
    this.#emit = emit
  }

  beginTable(): void {
    this.#isFirstInTable = true
  }

  push(row: R): void {
    this.#release(false)
    this.#held = { row, isFirst: this.#isFirst, isFirstInTable: this.#isFirstInTable, isLastInTable: false }
    this.#isFirst = false
    this.#isFirstInTable = false
  }

  endTable(): void {
    if (this.#held !== null) this.#held.isLastInTable = true
  }

  /** No row follows. */
  end(): void {
    this.#release(true)
  }

  #release(isLast: boolean): void {
    const held = this.#held
    if (held === null) return
    this.#held = null
    this.#emit(held.row, markerOf(held, isLast))
  }
}

/** When several are true of one row the stronger one is told (AbstractSnapshotContext of the reference). */
function markerOf(row: HeldRow<unknown>, isLast: boolean): SnapshotMarker {
  if (isLast) return 'last'
  if (row.isFirst) return 'first'
  if (row.isLastInTable) return 'last_in_data_collection'
  return row.isFirstInTable ? 'first_in_data_collection' : 'true'
}
