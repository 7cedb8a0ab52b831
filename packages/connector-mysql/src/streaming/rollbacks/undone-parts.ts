import { savepointOf } from '@tributary/mysql'
import { connectorErrors } from '../../errors.ts'

/** A part of a transaction that was rolled back: the events that begin at these positions of the file. */
export interface UndonePart {
  readonly from: number
  /** Exclusive. */
  readonly until: number
}

/** Whether an event that begins at the position is in one of the parts. */
export function isUndone(parts: readonly UndonePart[], position: number): boolean {
  return parts.some(({ from, until }) => from <= position && position < until)
}

interface Savepoint {
  readonly name: string
  readonly position: number
}

/**
 * Follows the savepoints of one transaction in the binlog and finds the parts that were rolled back.
 *
 * MariaDB writes such parts when it cannot remove them from its cache for the binlog: after a change of a table without
 * transactions, and after a temporary table was created or dropped. They end with `ROLLBACK TO` a savepoint, or the
 * whole transaction ends with `ROLLBACK`. Rows of tables without transactions, which stay, are never in such a part:
 * with row format both servers write them as a transaction of their own.
 */
export class UndoneParts {
  readonly #begin: number
  readonly #place: (position: number) => string
  #savepoints: Savepoint[] = []
  #parts: UndonePart[] = []

  /**
   * @param begin where the transaction begins
   * @param place names a position, for messages
   */
  constructor(begin: number, place: (position: number) => string) {
    this.#begin = begin
    this.#place = place
  }

  /** Those found so far, in their order; none overlaps another. */
  get parts(): readonly UndonePart[] {
    return this.#parts
  }

  /**
   * A statement within the transaction, at a position. Returns where the part begins that it rolls back; null when it
   * rolls back nothing.
   */
  takeStatement(sql: string, position: number): number | null {
    const statement = savepointOf(sql)
    if (statement === null) return null
    const { act, name } = statement
    const index = this.#savepoints.findLastIndex((savepoint) => savepoint.name === name)
    switch (act) {
      case 'SAVEPOINT':
        // It replaces one of the same name; those set after that one remain.
        if (index >= 0) this.#savepoints.splice(index, 1)
        if (this.#savepoints.length >= SAVEPOINTS_MAX) {
          throw this.#unclear(position, `it has more than ${SAVEPOINTS_MAX} savepoints`)
        }
        this.#savepoints.push({ name, position })
        return null
      case 'RELEASE SAVEPOINT':
        if (index >= 0) this.#savepoints.length = index
        return null
      case 'ROLLBACK TO SAVEPOINT': {
        const savepoint = this.#savepoints[index]
        if (savepoint === undefined) throw this.#unclear(position, `the savepoint ${name} was not set before`)
        this.#savepoints.length = index + 1
        this.#undo(savepoint.position, position)
        return savepoint.position
      }
    }
  }

  /** ROLLBACK of the whole transaction, at a position. Returns where it begins. */
  rollBack(position: number): number {
    this.#undo(this.#begin, position)
    return this.#begin
  }

  #undo(from: number, until: number): void {
    this.#parts = [...this.#parts.filter((part) => part.from < from), { from, until }]
  }

  #unclear(position: number, reason: string): Error {
    return connectorErrors.ROLLBACK_UNCLEAR({ position: this.#place(position), reason })
  }
}

/** Each has a name and a position; the loops of programs that set one per row release them or reuse the name. */
const SAVEPOINTS_MAX = 100_000
