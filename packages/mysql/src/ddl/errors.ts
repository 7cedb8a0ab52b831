import { CodedError, defineErrors, type ErrorRegistry } from '@tributary/support'
import type { TableName } from './statement.ts'

const definitions = {
  DDL_SYNTAX: {
    message:
      'The parser does not understand a schema change: expected {expected} but found {found} at offset {offset} of: {statement}',
    action:
      'The task reads the tables that it names again from the database. Report the statement, so that the next release understands it.',
  },
} as const

/** Errors of the DDL parser. */
export const ddlErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)

/** Characters of the statement that a message shows before and after the offset. */
const EXCERPT_CHARACTERS = 200

export interface DdlSyntaxErrorOptions {
  readonly statement: string
  /** Index of the character, from 0. */
  readonly offset: number
  readonly expected: string
  readonly found: string
  /** Tables that the statement changes, as far as the parser read it. */
  readonly tables: readonly TableName[]
}

/** The parser does not understand a statement that changes tables. */
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
