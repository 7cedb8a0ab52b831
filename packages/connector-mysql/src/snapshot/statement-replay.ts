import { type BinlogEvent, transactionControl } from '@tributary/mysql'
import { StatementPlace } from '../flavor/statement-place.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'

/** Applies the statements of a part of the binlog to a model. */
export class StatementReplay {
  /** Those about databases that are included. */
  statements = 0
  readonly #interpreter: DdlInterpreter
  readonly #isIncluded: (database: string) => boolean
  readonly #place = new StatementPlace()

  constructor(interpreter: DdlInterpreter, isIncluded: (database: string) => boolean) {
    this.#interpreter = interpreter
    this.#isIncluded = isIncluded
  }

  observe(event: BinlogEvent): void {
    this.#place.observe(event)
    if (event.tag === 'formatDescription' && event.isServerStart) this.#interpreter.noteServerStart()
    if (event.tag !== 'query' || !this.#place.takesEffect || transactionControl(event.sql) !== null) return
    const { events } = this.#interpreter.interpret(event.sql, {
      ...this.#interpreter.sessionOf(event),
      isPrinted: this.#place.isInTransaction,
    })
    if (events.some(({ databaseName }) => this.#isIncluded(databaseName))) this.statements += 1
  }
}
