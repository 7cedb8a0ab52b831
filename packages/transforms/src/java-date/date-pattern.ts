/** A part of a pattern of Java's SimpleDateFormat: a text, or a field with the number of its letters. */
export type PatternPart =
  | { readonly tag: 'text'; readonly text: string }
  | { readonly tag: 'field'; readonly letter: string; readonly count: number }

const LETTERS = 'GyMdkHmsSEDFwWahKzZYuXL'

/** @throws SyntaxError with Java's text */
export function parseDatePattern(pattern: string): readonly PatternPart[] {
  const parts: PatternPart[] = []
  const addText = (text: string): void => {
    const last = parts.at(-1)
    if (last?.tag === 'text') parts[parts.length - 1] = { tag: 'text', text: last.text + text }
    else if (text !== '') parts.push({ tag: 'text', text })
  }
  let at = 0
  while (at < pattern.length) {
    const char = pattern.charAt(at)
    if (char === "'") {
      const { text, end } = quotedText(pattern, at)
      addText(text)
      at = end
      continue
    }
    if (!/[a-zA-Z]/.test(char)) {
      addText(char)
      at += 1
      continue
    }
    if (!LETTERS.includes(char)) throw new SyntaxError(`Illegal pattern character '${char}'`)
    let end = at + 1
    while (pattern.charAt(end) === char) end += 1
    const count = end - at
    if (char === 'X' && count > 3) throw new SyntaxError(`invalid ISO 8601 format: length=${count}`)
    if (count > COUNT_MAX) throw new SyntaxError(`More than ${COUNT_MAX} letters '${char}'`)
    parts.push({ tag: 'field', letter: char, count })
    at = end
  }
  return parts
}

/** Each letter of a number is at least one digit of the text. */
const COUNT_MAX = 100

/** Two quotes are one, within quotes and outside. */
function quotedText(pattern: string, open: number): { readonly text: string; readonly end: number } {
  if (pattern.charAt(open + 1) === "'") return { text: "'", end: open + 2 }
  let text = ''
  for (let at = open + 1; at < pattern.length; at++) {
    if (pattern.charAt(at) !== "'") text += pattern.charAt(at)
    else if (pattern.charAt(at + 1) === "'") {
      text += "'"
      at += 1
    } else return { text, end: at + 1 }
  }
  throw new SyntaxError('Unterminated quote')
}
