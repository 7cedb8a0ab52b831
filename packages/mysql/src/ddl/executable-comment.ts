import type { DdlOptions } from './options.ts'

/** Whether to skip a comment or to read its content as part of the statement. */
export type CommentReading =
  | { readonly isExecuted: true; /** Index of the first character of the content. */ readonly start: number }
  | { readonly isExecuted: false }

const PLAIN: CommentReading = { isExecuted: false }

/**
 * Decides whether a server executes a comment.
 *
 *     MySQL:    / * ! [ version ] text * /        version: 5 digits, or 6 before white space
 *     MariaDB:  / * [ M ] ! [ version ] text * /  version: 5 or 6 digits
 *
 * The server executes a comment without a version and one whose version is at most its own. MariaDB skips comments for
 * MySQL 5.7 and later (50700…99999 after `!` alone). executable-comment.server.test.ts compares each rule with both
 * servers.
 *
 * @param start index of the opening slash
 */
export function readComment(sql: string, start: number, options: DdlOptions): CommentReading {
  const isMariaDb = options.flavor === 'mariadb'
  const isMarkedMariaDb = isMariaDb && sql.startsWith('M!', start + 2)
  if (!isMarkedMariaDb && sql.charAt(start + 2) !== '!') return PLAIN
  const from = start + (isMarkedMariaDb ? 4 : 3)
  const digits = versionDigits(sql, from, isMariaDb)
  if (digits === 0) return { isExecuted: true, start: from }
  const version = Number(sql.slice(from, from + digits))
  const isForMySql = isMariaDb && !isMarkedMariaDb && version >= 50_700 && version <= 99_999
  if (isForMySql || version > options.serverVersion) return PLAIN
  return { isExecuted: true, start: from + digits }
}

function versionDigits(sql: string, from: number, isMariaDb: boolean): 0 | 5 | 6 {
  const text = sql.slice(from, from + 7)
  if (isMariaDb ? /^\d{6}/.test(text) : /^\d{6}(?:\s|$)/.test(text)) return 6
  return /^\d{5}/.test(text) ? 5 : 0
}

/**
 * Returns the index after a comment that is not executed. A comment with `!` may contain plain comments; a plain
 * comment ends at the first end mark (sql_lex.cc, consume_comment). The end of the text closes an open comment.
 */
export function skipComment(sql: string, start: number): number {
  const holdsComments = sql.charAt(start + 2) === '!' || sql.startsWith('M!', start + 2)
  let at = start + 2
  for (;;) {
    const end = sql.indexOf('*/', at)
    if (end < 0) return sql.length
    const inner = holdsComments ? sql.indexOf('/*', at) : -1
    if (inner < 0 || inner > end) return end + 2
    at = end + 2
  }
}
