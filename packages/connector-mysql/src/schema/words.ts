/**
 * The words of a text in lower case, as names are made of them. A quoted name with other characters has several words,
 * or none: quotes need not be paired, which strings and comments with single ones would break.
 */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.toLowerCase().matchAll(WORD), ([word]) => word))
}

/** What an unquoted name may consist of: https://dev.mysql.com/doc/refman/9.7/en/identifiers.html */
const WORD = /[\w$\u0080-\uffff]+/g
