/** The longest line of a Markdown file, in characters. `npm run check -- docs` holds all files to it. */
export const LINE_MAX = 120

/**
 * Wraps paragraphs and list items to LINE_MAX. Blocks of code, tables, headings and comments stay as they are, and so
 * do code spans, which are never broken.
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

/** The words of a text; a code span is one word with what touches it, and so is a word that would look like a list. */
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
