import { FormError } from './form-error.ts'

/** A token of ksqlDB's SQL. The text of a quoted one is without its quotes. */
export interface KsqlToken {
  readonly tag: 'word' | 'name' | 'text' | 'number' | 'sign'
  readonly text: string
  /** Its offset in the file. */
  readonly at: number
}

/**
 * The tokens of ksqlDB:
 *
 *     word     letters, digits, _, @      keywords, and names that ksqlDB turns into capitals
 *     name     `…` or "…"                 a quote within is doubled
 *     text     '…'                        a quote within is doubled
 *     number   1, 1.5, 1e3
 *     sign     ( ) , = ; and others
 *
 * Comments are those of SQL, with two dashes up to the end of the line, or with slash and asterisk.
 */
const TOKEN =
  /(?<blank>\s+|--[^\n]*|\/\*.*?\*\/)|(?<text>'(?:[^']|'')*')|(?<name>`(?:[^`]|``)*`|"(?:[^"]|"")*")|(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z_][\w@]*)|(?<sign>[^'"`\s])/gsy

/** @throws FormError for a quote or comment without an end */
export function ksqlTokens(text: string): readonly KsqlToken[] {
  const tokens: KsqlToken[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const groups = TOKEN.exec(text)?.groups
    if (groups === undefined || text.startsWith('/*', at) !== (groups['blank']?.startsWith('/*') ?? false)) {
      throw new FormError('a quote or comment has no end', at)
    }
    for (const tag of ['word', 'name', 'text', 'number', 'sign'] as const) {
      const found = groups[tag]
      if (found !== undefined) tokens.push({ tag, text: unquoted(tag, found), at })
    }
  }
  return tokens
}

function unquoted(tag: KsqlToken['tag'], text: string): string {
  if (tag !== 'text' && tag !== 'name') return text
  const quote = text.charAt(0)
  return text.slice(1, -1).replaceAll(quote + quote, quote)
}
