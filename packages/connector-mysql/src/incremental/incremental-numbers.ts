import type { SnapshotNumbers, SnapshotTable, TableId } from '@tributary/connector-kit'
import type { Clock } from '@tributary/support'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'

/** Counts what an incremental snapshot does, for its progress. */
export class IncrementalNumbers {
  readonly #numbers: SnapshotNumbers
  readonly #clock: Clock

  constructor(numbers: SnapshotNumbers, clock: Clock) {
    this.#numbers = numbers
    this.#clock = clock
  }

  /** The progress has changed: tables were added or stopped, or are complete; or it was paused or resumed. */
  follow({ collections, isActive, isPaused }: IncrementalProgress): void {
    const numbers = this.#numbers
    const nowMs = this.#clock.now()
    if (!isActive && numbers.state !== 'running') return
    if (numbers.state !== 'running') numbers.begin(nowMs, 'incremental')
    const wanted = new Set(collections.map(({ id }) => id.toString()))
    let isStopped = false
    for (const [name, { isDone }] of numbers.tables) {
      if (isDone || wanted.has(name)) continue
      numbers.tables.delete(name)
      isStopped = true
    }
    for (const name of wanted) {
      if (numbers.tables.get(name)?.isDone !== false) numbers.tables.set(name, newTable(name))
    }
    this.#count()
    numbers.pause(isPaused, nowMs)
    if (!isActive) numbers.end(isStopped ? 'aborted' : 'completed', nowMs)
  }

  /** Whether the rows of the table, or of any that waits, were not estimated yet. */
  isUnestimated(id: TableId): boolean {
    return this.#table(id)?.estimatedRows === null
  }

  /** The tables without an estimate. */
  get unestimated(): readonly string[] {
    return [...this.#numbers.tables.values()].filter((each) => each.estimatedRows === null).map(({ name }) => name)
  }

  /** Rows that are not read yet. */
  estimate(name: string, rowsLeft: number): void {
    const table = this.#numbers.tables.get(name)
    if (table !== undefined && !table.isDone) table.estimatedRows = table.rows + rowsLeft
  }

  add(id: TableId, rows: number): void {
    const table = this.#table(id)
    if (table !== undefined) table.rows += rows
  }

  /** The table is complete, or cannot be copied. */
  end(id: TableId): void {
    const table = this.#table(id)
    if (table === undefined) return
    table.isDone = true
    this.#count()
  }

  /** The table begins with its first row. */
  restart(id: TableId): void {
    const table = this.#table(id)
    if (table !== undefined) table.rows = 0
  }

  #table(id: TableId): SnapshotTable | undefined {
    return this.#numbers.tables.get(id.toString())
  }

  #count(): void {
    const numbers = this.#numbers
    numbers.tableCount = numbers.tables.size
    numbers.remainingTables = [...numbers.tables.values()].filter(({ isDone }) => !isDone).length
  }
}

function newTable(name: string): SnapshotTable {
  return { name, rows: 0, estimatedRows: null, isDone: false }
}
