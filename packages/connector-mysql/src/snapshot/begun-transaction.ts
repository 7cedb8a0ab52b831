import { type BinlogEvent, transactionControl } from '@tributary/mysql'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'

/**
 * Looks for a statement about tables in the transaction that a stored offset is inside of, such as the first one of
 * `CREATE TABLE … SELECT`. The stream resumes after it and does not apply it.
 */
export class BegunTransaction {
  /** The statement, as in the binlog; null: none was seen. */
  statement: string | null = null
  /** The end of the transaction was seen. */
  isOver = false
  readonly #interpreter: Pick<DdlInterpreter, 'sessionOf' | 'targetsOf'>
  #gtids = 0

  constructor(interpreter: Pick<DdlInterpreter, 'sessionOf' | 'targetsOf'>) {
    this.#interpreter = interpreter
  }

  observe(event: BinlogEvent): void {
    switch (event.tag) {
      case 'gtid':
      case 'mariadbGtid':
      case 'anonymousGtid':
        this.#gtids += 1
        this.isOver = this.#gtids > 1
        return
      case 'xid':
      case 'xaPrepare':
        this.isOver = true
        return
      case 'query': {
        const control = transactionControl(event.sql)
        if (control !== null) {
          this.isOver = control.tag === 'end'
          return
        }
        const { tag } = this.#interpreter.targetsOf(event.sql, this.#interpreter.sessionOf(event))
        if (tag !== 'none') this.statement ??= event.sql
        return
      }
      default:
        return
    }
  }
}
