import type { RowDifference, VerifiedTable, VerifiedTableState } from '@tributary/rest-api'
import type { ExcludedColumn } from './table-plan.ts'

/** Differences that are shown with their fields. All are counted. */
const SHOWN_MAX = 100

/** The result of a table while it is compared. */
export class TableResult {
  readonly table: string
  readonly topic: string
  state: VerifiedTableState = 'WAITING'
  note: string | null = null
  rowsEstimated: number | null = null
  /** Of a row, on average; 0 when unknown. */
  rowBytes = 0
  rowsRead = 0
  recordsRead = 0
  rowsEqual = 0
  position: string | null = null
  excluded: readonly ExcludedColumn[] = []
  durationMs = 0
  readonly #counts: Record<RowDifference['kind'], number> = { missing: 0, extra: 0, different: 0, without_tombstone: 0 }
  readonly #differences: RowDifference[] = []
  readonly #unproven = new Map<string, number>()

  constructor(table: string, topic: string) {
    this.table = table
    this.topic = topic
  }

  /** The table is compared, possibly not for the first time. */
  restart(): void {
    this.state = 'WAITING'
    this.note = null
    this.rowsRead = 0
    this.recordsRead = 0
    this.rowsEqual = 0
    this.#differences.length = 0
    this.#unproven.clear()
    for (const kind of Object.keys(this.#counts) as RowDifference['kind'][]) this.#counts[kind] = 0
  }

  get differences(): number {
    return Object.values(this.#counts).reduce((sum, each) => sum + each, 0)
  }

  get unproven(): number {
    return [...this.#unproven.values()].reduce((sum, each) => sum + each, 0)
  }

  add(difference: RowDifference): void {
    this.#counts[difference.kind] += 1
    if (this.#differences.length < SHOWN_MAX) this.#differences.push(difference)
  }

  addUnproven(reason: string): void {
    this.#unproven.set(reason, (this.#unproven.get(reason) ?? 0) + 1)
  }

  refuse(reason: string): void {
    this.state = 'REFUSED'
    this.note = reason
  }

  /** The comparison is over. */
  end(note: string | null): void {
    this.note = note
    if (this.differences > 0) this.state = 'DIFFERENT'
    else this.state = this.unproven > 0 || note !== null ? 'UNPROVEN' : 'EQUAL'
  }

  toDocument(): VerifiedTable {
    return {
      table: this.table,
      topic: this.topic,
      state: this.state,
      note: this.note,
      rows_estimated: this.rowsEstimated,
      rows_read: this.rowsRead,
      records_read: this.recordsRead,
      position: this.position,
      rows_equal: this.rowsEqual,
      ...this.#counts,
      differences: [...this.#differences],
      unproven: [...this.#unproven].map(([reason, rows]) => ({ reason, rows })),
      excluded_columns: this.excluded,
      duration_ms: this.durationMs,
    }
  }
}
