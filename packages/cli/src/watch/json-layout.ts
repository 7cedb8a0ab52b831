import { assert } from '@tributary/support'
import type { Palette } from '../terminal/palette.ts'
import { withoutControls } from '../terminal/visible-text.ts'

/**
 * Lays a JSON document out over lines and colours it. It works on the text, not on parsed values: numbers beyond 2^53 (`ts_ns`),
 * escapes and the order of names stay as they were written.
 *
 * The text must be valid JSON. Its grammar (RFC 8259) is all that is needed here: outside of strings only `{ } [ ] , :`, blanks,
 * numbers and words occur.
 */
export function layOutJson(text: string, palette: Palette): string {
  const out: string[] = []
  const tokens = tokensOf(text)
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    switch (token) {
      case '{':
      case '[':
        out.push(token)
        if (isClosing(tokens[index + 1])) break
        depth += 1
        out.push(lineEnd(depth))
        break
      case '}':
      case ']':
        if (isOpening(tokens[index - 1])) out.push(token)
        else {
          depth -= 1
          out.push(lineEnd(depth), token)
        }
        break
      case ',':
        out.push(token, lineEnd(depth))
        break
      case ':':
        out.push(': ')
        break
      default:
        out.push(paint(token, tokens[index + 1] === ':', palette))
    }
  }
  return out.join('')
}

/** Strings, marks, numbers and words, without the blanks between them. */
function tokensOf(text: string): readonly string[] {
  const tokens: string[] = []
  let at = 0
  while (at < text.length) {
    const end = text.charAt(at) === '"' ? stringEnd(text, at) : plainEnd(text, at)
    if (!BLANK.test(text.charAt(at))) tokens.push(text.slice(at, end))
    at = end
  }
  return tokens
}

const BLANK = /\s/
const PLAIN = /[^\s{}[\],:"]*/y

/** Behind the quote that ends the string that begins at `at`: the next one with an even number of backslashes before it. */
function stringEnd(text: string, at: number): number {
  let quote = at
  for (;;) {
    quote = text.indexOf('"', quote + 1)
    assert(quote !== -1, 'a string of a valid JSON document ends')
    let backslashes = 0
    while (text.charAt(quote - 1 - backslashes) === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
}

/** A number or word is as long as it can be; marks and blanks are one character. */
function plainEnd(text: string, at: number): number {
  PLAIN.lastIndex = at
  PLAIN.test(text)
  return Math.max(PLAIN.lastIndex, at + 1)
}

function isOpening(token: string | undefined): boolean {
  return token === '{' || token === '['
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']'
}

function lineEnd(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}

function paint(token: string, isName: boolean, palette: Palette): string {
  if (token.startsWith('"'))
    return isName ? palette.name(withoutControls(token)) : palette.string(withoutControls(token))
  return /^[a-z]/.test(token) ? palette.word(token) : palette.number(token)
}
