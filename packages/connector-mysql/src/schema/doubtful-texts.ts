import type { DdlSession } from './ddl-session.ts'
import { unescapeString } from '@tributary/mysql'

/** A text of a column definition in which the server may have printed something else in place of characters. */
export interface DoubtfulText {
  readonly column: string
  readonly of: TextOwner
  /** As printed, without quotes and escapes. */
  readonly printed: string
  /** Of the literal in the statement, quotes included. */
  readonly start: number
  readonly end: number
}

export type TextOwner =
  | { readonly tag: 'member'; readonly type: 'enum' | 'set'; readonly index: number }
  | { readonly tag: 'default' }

/** Why a definition that the server printed is read again. */
export const DOUBTFUL_TEXTS: string = 'the server may have written ? for other characters of members and defaults'

/** Whether the server may have printed a statement, with other characters than it stores. */
export function isDoubtful(sql: string, { isPrinted, isReadFromServer, isRecorded }: DdlSession): boolean {
  const mayBePrinted = (isPrinted === true && isReadFromServer !== true) || isRecorded === true
  return mayBePrinted && doubtfulTexts(sql).length > 0
}

/**
 * Finds the members and defaults in a text of SHOW CREATE TABLE that the server may have printed with other characters
 * than it stores. Both servers print them in utf8mb3, with `?` for every character outside the basic multilingual plane.
 * MariaDB prints the default of a binary string unchanged; bytes that are not UTF-8 arrive as U+FFFD.
 *
 * The text is read in tokens, so that no name and no string looks like a definition:
 *
 *     CREATE TABLE `t` (
 *       `e` enum('a','?') CHARACTER SET utf8mb4 DEFAULT '?' COMMENT '…',
 *       PRIMARY KEY (`e`)
 *     ) ENGINE=…
 */
export function doubtfulTexts(createSql: string): readonly DoubtfulText[] {
  if (!DOUBTFUL.test(createSql)) return []
  const found: DoubtfulText[] = []
  let depth = 0
  /** The column that is being defined; null: not known yet; false: a key or a constraint. */
  let column: string | null | false = false
  let list: 'enum' | 'set' | null = null
  let index = 0
  /** What precedes the token. */
  let before = ''
  for (const { 0: token, index: start } of createSql.matchAll(TOKEN)) {
    const isString = token.startsWith("'")
    if (isString && typeof column === 'string') {
      const of: TextOwner | null =
        list !== null && depth === 2
          ? { tag: 'member', type: list, index: index++ }
          : depth === 1 && /\bDEFAULT\s$/i.test(before)
            ? { tag: 'default' }
            : null
      const printed = unescapeString(token.slice(1, -1))
      if (of !== null && DOUBTFUL.test(printed)) found.push({ column, of, printed, start, end: start + token.length })
    } else if (token === '(') {
      depth += 1
      if (depth === 1) column = null
      if (depth === 2) {
        list = listType(before)
        index = 0
      }
    } else if (token === ')') depth -= 1
    else if (token === ',') {
      if (depth === 1) column = null
    } else if (column === null && token.trim() !== '') {
      column = token.startsWith('`') ? token.slice(1, -1).replaceAll('``', '`') : false
    }
    before = isString ? "'" : token
  }
  return found
}

const DOUBTFUL = /[?\uFFFD]/

function listType(before: string): 'enum' | 'set' | null {
  const type = /\b(enum|set)$/i.exec(before)?.[1]?.toLowerCase()
  return type === 'enum' || type === 'set' ? type : null
}

const TOKEN = /`(?:[^`]|``)*`|'(?:[^'\\]|''|\\[^])*'|[(),]|[^`'(),]+/g
