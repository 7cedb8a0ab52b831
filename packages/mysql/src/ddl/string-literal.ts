/** A quoted run of the statement: what it stands for, and where it ends. */
export interface QuotedText {
  readonly value: string
  /** Index behind the closing quote; -1 when there is none. */
  readonly end: number
}

const BACKSLASH = 0x5c

/**
 * Reads what stands between quotes. A doubled quote is one quote.
 *
 * @param start index behind the opening quote
 * @param hasEscapes a backslash begins an escape (strings, unless NO_BACKSLASH_ESCAPES; never names)
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

/** The character behind a backslash (manual, “Special Character Escape Sequences”); any other stands for itself. */
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
    // Kept for LIKE patterns, which are read a second time.
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

/** A string as SHOW CREATE TABLE writes it between single quotes. */
export function escapeString(value: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that have an escape
  return value.replaceAll(/['\\\0\b\n\r\t\x1a]/g, (character) => ESCAPES[character] ?? character)
}

/** The string whose escaped form this is; the inverse of `escapeString`, and of every other way to escape it. */
export function unescapeString(escaped: string): string {
  if (!escaped.includes("'") && !escaped.includes('\\')) return escaped
  return escaped.replaceAll(/''|\\([^])/g, (_, character: string | undefined) =>
    character === undefined ? "'" : unescaped(character),
  )
}
