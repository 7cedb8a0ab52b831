import { escapeString } from '@tributary/mysql'

/** Quotes a name for a statement, whatever characters it contains. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

/** A text as a literal in a statement, for a session without NO_BACKSLASH_ESCAPES. */
export function quotedText(text: string): string {
  return `'${escapeString(text)}'`
}
