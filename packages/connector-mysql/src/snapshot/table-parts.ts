import type { MarkedTable, SnapshotTable, TableId } from '@tributary/connector-kit'
import type { ChunkQuery, ChunkSpan } from '../chunks/chunk-query.ts'
import type { KeyPoint } from '../chunks/chunk-key.ts'
import type { PendingTable } from '../offset/snapshot-progress.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { PartStatement } from './row-connection.ts'
import type { KeyedRows } from './row-keys.ts'
import type { SnapshotRow } from './snapshot-rows.ts'
import type { SnapshotSelect } from './snapshot-select.ts'

/** How the rows of a table are read in the order of their keys. */
export interface KeyedTable {
  readonly query: ChunkQuery
  readonly rows: KeyedRows
  readonly signature: string | null
}

/** A table that is being read, by one connection or by several. */
export interface OpenTable {
  readonly id: TableId
  readonly table: CapturedTable
  readonly select: SnapshotSelect
  /** Null: its rows come in no order. */
  readonly keyed: KeyedTable | null
  readonly marked: MarkedTable<CapturedTable, SnapshotRow>
  readonly startMs: number
  readonly progress: SnapshotTable
  /** Parts whose last row has not been handed over. */
  parts: readonly TablePart[]
  /** Parts whose last row has not been read. */
  partsLeft: number
}

/** A part of a table, which one connection reads. */
export class TablePart {
  readonly of: OpenTable
  readonly span: ChunkSpan
  /** The last two rows that were read. */
  last: SnapshotRow | null = null
  before: SnapshotRow | null = null
  isRead = false
  /** The key up to which all rows were handed over; null: none was. */
  #after: KeyPoint | null
  #seen: SnapshotRow | null = null
  #seenPoint: KeyPoint | null = null

  constructor(of: OpenTable, span: ChunkSpan) {
    this.of = of
    this.span = span
    this.#after = span.after
  }

  get after(): KeyPoint | null {
    return this.#after
  }

  /**
   * Notes which rows have been handed over. Returns false when all were.
   *
   * @param isHeld the last row was not: its marker depends on the following one
   */
  advance(isHeld: boolean): boolean {
    const { last, before } = this
    const keyed = this.of.keyed?.rows ?? null
    if (last === null || keyed === null) return !this.isRead || isHeld
    const seenPoint = this.#seenPoint
    const isNew = last !== this.#seen
    if (isNew) {
      const pointBefore = before === null ? null : before === this.#seen ? seenPoint : keyed.pointOf(before)
      this.#seenPoint = keyed.pointOf(last)
      this.#seen = last
      this.#after = (isHeld ? pointBefore : this.#seenPoint) ?? this.#after
    } else if (!isHeld) this.#after = seenPoint ?? this.#after
    return !this.isRead || isHeld
  }
}

/** What is left of a table; null: nothing. */
export function pendingOf(table: OpenTable, isHeld: (row: SnapshotRow) => boolean): PendingTable | null {
  table.parts = table.parts.filter((part) => part.advance(part.last !== null && isHeld(part.last)))
  if (table.parts.length === 0) return null
  const { id, keyed, parts } = table
  if (keyed === null) return { id, ranges: null, signature: null }
  return { id, ranges: parts.map(({ after, span }) => ({ after, upTo: span.upTo })), signature: keyed.signature }
}

export type PartQuery = PartStatement<TablePart>

/** Reads by the primary key, which is the order of the rows of InnoDB: nothing is sorted. */
export function queryOf(part: TablePart): PartQuery {
  const { select, keyed, id } = part.of
  const doing = `reading the rows of ${id.toString()}`
  if (select.tag === 'override') return { part, statement: select.prepared, doing, explain: select.explain }
  const statement = keyed === null ? select.sql : keyed.query.rows(keyed.rows.expressions, part.span)
  return { part, statement, doing }
}
