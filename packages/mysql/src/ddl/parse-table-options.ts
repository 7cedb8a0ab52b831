import { acceptCharsetKeyword } from './parse-column-type.ts'
import type { TableOptions } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

/** The options of a table or database that have been read so far. */
export type OptionsDraft = { -readonly [K in keyof TableOptions]: TableOptions[K] }

export function noOptions(): OptionsDraft {
  return { charset: null, collation: null, comment: null, isSystemVersioned: false, isSequence: false }
}

export function isEmpty(options: TableOptions): boolean {
  return (
    options.charset === null &&
    options.collation === null &&
    options.comment === null &&
    !options.isSystemVersioned &&
    !options.isSequence
  )
}

/** Parses one option that concerns columns; returns false when none follows. The last option of a kind applies. */
export function parseTableOption(reader: TokenReader, options: OptionsDraft): boolean {
  const isDefault = reader.is('DEFAULT')
  if (isDefault && !isCharsetWord(reader.peek(1).keyword)) return false
  if (isDefault) reader.skip()
  if (acceptCharsetKeyword(reader)) {
    reader.accept('=')
    options.charset = reader.value('a character set').toLowerCase()
  } else if (reader.accept('COLLATE')) {
    reader.accept('=')
    options.collation = reader.value('a collation').toLowerCase()
  } else if (reader.accept('COMMENT')) {
    reader.accept('=')
    options.comment = reader.string('a comment')
  } else if (reader.accept('WITH', 'SYSTEM', 'VERSIONING')) {
    options.isSystemVersioned = true
  } else if (reader.accept('SEQUENCE')) {
    reader.accept('=')
    options.isSequence = reader.value('0 or 1') === '1'
  } else return false
  return true
}

function isCharsetWord(keyword: string): boolean {
  return keyword === 'CHARACTER' || keyword === 'CHARSET' || keyword === 'CHAR' || keyword === 'COLLATE'
}

/**
 * ENGINE=InnoDB, TABLESPACE x, UNION=(a, b), START TRANSACTION …: a word, optionally with `=` and a value, or with
 * parentheses.
 */
export function skipOtherOption(reader: TokenReader): void {
  const { keyword } = reader.next()
  if (reader.accept('=')) {
    if (reader.is('(')) reader.skipParentheses()
    else reader.skip()
  } else if (reader.is('(')) reader.skipParentheses()
  // Its name may be a word such as MODIFY.
  else if (keyword === 'TABLESPACE' && reader.peek().kind === 'word') reader.skip()
}
