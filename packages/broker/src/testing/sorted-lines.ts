import { createHash } from 'node:crypto'

/** How many lines, and a digest of them in a fixed order. */
export function sortedLines(lines: readonly string[]): string {
  const hash = createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')
  return `${lines.length} lines ${hash}`
}
