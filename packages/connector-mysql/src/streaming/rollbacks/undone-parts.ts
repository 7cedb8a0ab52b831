import { savepointOf } from '@tributary/mysql'
import { connectorErrors } from '../../errors.ts'

/** A part of a transaction that was rolled back: its events by their `order`, which is their position in most cases. */
export interface UndonePart {
  readonly from: number
  /** Exclusive. */
  readonly until: number
}

/** Whether an event that begins at the position is in one of the parts, which are in their order. */
export function isUndone(parts: readonly UndonePart[], position: number): boolean {
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    // In range: the search is within the parts.
    const { from, until } = parts[middle] as UndonePart
    if (position < from) high = middle
    else if (position >= until) low = middle + 1
    else return true
  }
  return false
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
  /** In the order in which they were set. */
  readonly #savepoints: Savepoint[] = []
  /** The same by name: a transaction may set one for each of its rows. */
  readonly #positions = new Map<string, number>()
  readonly #parts: UndonePart[] = []

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
    const set = this.#positions.get(name)
    switch (act) {
      case 'SAVEPOINT':
        this.#set(name, position)
        return null
      case 'RELEASE SAVEPOINT':
        if (set !== undefined) this.#forgetFrom(set)
        return null
      case 'ROLLBACK TO SAVEPOINT':
        if (set === undefined) throw this.#unclear(position, `the savepoint ${name} was not set before`)
        this.#forgetFrom(set + 1)
        this.#undo(set, position)
        return set
    }
  }

  /** It replaces one of the same name; those set after that one remain. */
  #set(name: string, position: number): void {
    const savepoints = this.#savepoints
    if (this.#positions.has(name)) {
      savepoints.splice(
        savepoints.findLastIndex((savepoint) => savepoint.name === name),
        1,
      )
    }
    if (savepoints.length >= SAVEPOINTS_MAX) {
      throw this.#unclear(position, `it has more than ${SAVEPOINTS_MAX} savepoints`)
    }
    savepoints.push({ name, position })
    this.#positions.set(name, position)
  }

  /** Forgets the savepoints that were set at this position or later: the last ones, since positions only grow. */
  #forgetFrom(position: number): void {
    const savepoints = this.#savepoints
    for (let last = savepoints.at(-1); last !== undefined && last.position >= position; last = savepoints.at(-1)) {
      this.#positions.delete(last.name)
      savepoints.pop()
    }
  }

  /** ROLLBACK of the whole transaction, at a position. Returns where it begins. */
  rollBack(position: number): number {
    this.#undo(this.#begin, position)
    return this.#begin
  }

  /** It contains all parts that begin after it does. */
  #undo(from: number, until: number): void {
    const parts = this.#parts
    for (let last = parts.at(-1); last !== undefined && last.from >= from; last = parts.at(-1)) parts.pop()
    parts.push({ from, until })
  }

  #unclear(position: number, reason: string): Error {
    return connectorErrors.ROLLBACK_UNCLEAR({ position: this.#place(position), reason })
  }
}

/** Each has a name and a position; the loops of programs that set one per row release them or reuse the name. */
const SAVEPOINTS_MAX = 100_000
