import { CodedError, defineErrors, type ErrorRegistry } from '@tributary/support'
import type { TableName } from './statement.ts'

const definitions = {
  DDL_SYNTAX: {
    message:
      'A schema-changing statement is not understood: expected {expected} but found {found} at offset {offset} of: {statement}',
    action:
      'The tables that it names are read again from the database. Report the statement, so that the next release understands it.',
  },
} as const

/** Errors of reading statements. */
export const ddlErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)

/** Characters of the statement that a message shows on each side of the place. */
const EXCERPT_CHARACTERS = 200

export interface DdlSyntaxErrorOptions {
  readonly statement: string
  /** Index of the character, from 0. */
  readonly offset: number
  readonly expected: string
  readonly found: string
  /** Tables whose definition the statement would have changed, as far as it was understood. */
  readonly tables: readonly TableName[]
}

/** A statement that changes tables and is not understood. */
export class DdlSyntaxError extends CodedError {
  readonly statement: string
  readonly offset: number
  readonly expected: string
  readonly tables: readonly TableName[]

  constructor(options: DdlSyntaxErrorOptions) {
    const { statement, offset, expected, found, tables } = options
    super('DDL_SYNTAX', definitions.DDL_SYNTAX, { expected, found, offset, statement: excerpt(statement, offset) })
    this.statement = statement
    this.offset = offset
    this.expected = expected
    this.tables = tables
  }
}

function excerpt(statement: string, offset: number): string {
  const from = Math.max(0, offset - EXCERPT_CHARACTERS)
  const to = offset + EXCERPT_CHARACTERS
  return `${from > 0 ? '…' : ''}${statement.slice(from, to)}${to < statement.length ? '…' : ''}`
}
