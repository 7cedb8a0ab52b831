/**
 * The names that a statement may contain, in lower case: each word, and each quoted text without its quotes. For
 * statements that the parser does not understand; words of comments and of strings are among them.
 */
export function mentionedNames(sql: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [word] of sql.matchAll(WORD)) names.add(word.toLowerCase())
  for (const [, quote = '', quoted = ''] of sql.matchAll(QUOTED)) {
    names.add(quoted.replaceAll(quote + quote, quote).toLowerCase())
  }
  return names
}

/** What an unquoted name may consist of: https://dev.mysql.com/doc/refman/9.7/en/identifiers.html */
const WORD = /[\w$\u0080-\uffff]+/g
/** A quote in a quoted name is written twice. */
const QUOTED = /([`"])((?:(?!\1)[^]|\1\1)*)\1/g
