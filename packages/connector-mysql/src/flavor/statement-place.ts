import { type BinlogEvent, transactionControl } from '@tributary/mysql'
import { takesEffect } from './takes-effect.ts'

/** Follows the events of a binlog: what the place of a statement among them means for it. Starts outside a transaction. */
export class StatementPlace {
  #takesEffect = true
  #isInTransaction = false

  /** False: the statement only announces a change, or takes an announced one back. */
  get takesEffect(): boolean {
    return this.#takesEffect
  }

  /**
   * True: the statement is in a transaction with rows. Only CREATE TABLE … SELECT is, and the server logs what SHOW CREATE
   * TABLE prints in its place.
   */
  get isInTransaction(): boolean {
    return this.#isInTransaction
  }

  /** To be called with each event before its statement is read. */
  observe(event: BinlogEvent): void {
    switch (event.tag) {
      case 'mariadbGtid':
        this.#takesEffect = takesEffect(event)
        this.#isInTransaction = !event.isStandalone
        return
      case 'gtid':
      case 'anonymousGtid':
      case 'xid':
      case 'xaPrepare':
      case 'rotate':
        this.#isInTransaction = false
        return
      case 'query':
        this.#observeControl(event.sql)
        return
      default:
        return undefined
    }
  }

  #observeControl(sql: string): void {
    const control = transactionControl(sql)
    if (control?.tag === 'begin') this.#isInTransaction = true
    if (control?.tag === 'end') this.#isInTransaction = false
  }
}
