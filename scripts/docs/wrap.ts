/** The line limit of Markdown files, in characters. `npm run check -- docs` reports longer lines. */
export const LINE_MAX = 120

/**
 * Wraps paragraphs and list items to LINE_MAX. Does not change blocks of code, tables, headings and comments, and does
 * not break code spans.
 */
export function wrapMarkdown(text: string): string {
  let isCode = false
  const lines = text.split('\n').flatMap((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode || /^(\||#|<!--|\s*$)/.test(line) ? [line] : wrapLine(line)
  })
  return lines.join('\n')
}

function wrapLine(line: string): readonly string[] {
  if (line.length <= LINE_MAX) return [line]
  const [start = ''] = /^\s*(?:[-*] |\d+\. )?/.exec(line) ?? []
  const indent = ' '.repeat(start.length)
  const lines: string[] = []
  let current = start
  for (const word of wordsOf(line.slice(start.length))) {
    const isFirst = current.trimEnd() === start.trimEnd() || current === indent
    const longer = isFirst ? current + word : `${current} ${word}`
    if (isFirst || longer.length <= LINE_MAX) current = longer
    else {
      lines.push(current)
      current = indent + word
    }
  }
  return [...lines, current]
}

/**
 * Splits a text into words that a line may start with. A code span with adjacent characters is one word; a word that
 * would start a list, a heading or a table belongs to the previous word.
 */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:`[^`]*`|[^\s`])+|`/g) ?? []
  const joined: string[] = []
  for (const word of words) {
    const last = joined.length - 1
    const isMarker = /^(?:[-*+]|\d+\.|#+|\|.*)$/.test(word)
    if (isMarker && last >= 0) joined[last] = `${joined[last]} ${word}`
    else joined.push(word)
  }
  return joined
}
