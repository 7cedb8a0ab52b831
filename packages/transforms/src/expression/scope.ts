import type { ConnectValue, Schema, SourceRecord } from '@tributary/connect-api'
import { EvaluationError } from './expression-error.ts'
import { CHARACTERS_PER_RECORD_MAX } from './limits.ts'

/** The record that is evaluated, where the evaluation is, and what it has used. One object serves all records. */
export class Scope {
  readonly #nothing: SourceRecord
  record: SourceRecord
  /** Index of the operation in the expression. */
  at = 0
  #charactersLeft = 0

  constructor() {
    this.#nothing = NO_RECORD
    this.record = this.#nothing
  }

  enter(record: SourceRecord): void {
    this.record = record
    this.at = 0
    this.#charactersLeft = CHARACTERS_PER_RECORD_MAX
  }

  /** The values of a record must not outlive it. */
  leave(): void {
    this.record = this.#nothing
  }

  /**
   * Counts characters before they are read, searched or made.
   *
   * @throws EvaluationError when they exceed what an evaluation may use
   */
  charge(characters: number): void {
    this.#charactersLeft -= characters
    if (this.#charactersLeft < 0) {
      throw new EvaluationError(
        `it reads or makes more than ${CHARACTERS_PER_RECORD_MAX} characters for one record`,
        'Do not search or build long texts',
      )
    }
  }
}

const NO_VALUE: ConnectValue = null
const NO_SCHEMA: Schema | null = null
const NO_RECORD: SourceRecord = {
  sourcePartition: {},
  sourceOffset: { toDocument: () => ({}) },
  topic: '',
  partition: null,
  keySchema: NO_SCHEMA,
  key: NO_VALUE,
  valueSchema: NO_SCHEMA,
  value: NO_VALUE,
  timestamp: null,
  headers: [],
}
