/** A quoted part of a statement. */
export interface QuotedText {
  /** Without quotes, with escapes resolved. */
  readonly value: string
  /** Index after the closing quote; -1 when there is none. */
  readonly end: number
}

const BACKSLASH = 0x5c

/**
 * Reads a quoted text to its closing quote. A doubled quote is one quote.
 *
 * @param start index after the opening quote
 * @param hasEscapes whether a backslash starts an escape: in strings without NO_BACKSLASH_ESCAPES, never in names
 */
export function readQuoted(sql: string, start: number, quote: number, hasEscapes: boolean): QuotedText {
  let value = ''
  let from = start
  let at = start
  while (at < sql.length) {
    const code = sql.charCodeAt(at)
    if (code === quote) {
      value += sql.slice(from, at)
      if (sql.charCodeAt(at + 1) !== quote) return { value, end: at + 1 }
      from = at + 1
      at += 2
    } else if (hasEscapes && code === BACKSLASH && at + 1 < sql.length) {
      value += sql.slice(from, at) + unescaped(sql.charAt(at + 1))
      at += 2
      from = at
    } else {
      at++
    }
  }
  return { value, end: -1 }
}

/**
 * Resolves the escape of a character (manual, “Special Character Escape Sequences”); a backslash before
 * any other character is ignored.
 */
function unescaped(character: string): string {
  switch (character) {
    case '0':
      return '\0'
    case 'b':
      return '\b'
    case 'n':
      return '\n'
    case 'r':
      return '\r'
    case 't':
      return '\t'
    case 'Z':
      return '\x1a'
    // The backslash stays: LIKE interprets the pattern again.
    case '%':
    case '_':
      return `\\${character}`
    default:
      return character
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "'": "''",
  '\\': '\\\\',
  '\0': '\\0',
  '\b': '\\b',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x1a': '\\Z',
}

/** Escapes a string as SHOW CREATE TABLE prints it between single quotes. */
export function escapeString(value: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that have an escape
  return value.replaceAll(/['\\\0\b\n\r\t\x1a]/g, (character) => ESCAPES[character] ?? character)
}

/** Resolves the escapes of a string: the inverse of `escapeString`, and of every other way to write the string. */
export function unescapeString(escaped: string): string {
  if (!escaped.includes("'") && !escaped.includes('\\')) return escaped
  return escaped.replaceAll(/''|\\([^])/g, (_, character: string | undefined) =>
    character === undefined ? "'" : unescaped(character),
  )
}
