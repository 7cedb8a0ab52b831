/** Quotes a name for a statement, whatever characters it contains. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
