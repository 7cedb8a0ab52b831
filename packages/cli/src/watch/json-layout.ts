import { assert, withoutControls } from '@tributary/support'
import type { Palette } from '../terminal/palette.ts'

/**
 * Indents and colours a JSON document. It works on the text, not on parsed values, so that numbers beyond 2^53
 * (`ts_ns`), escapes and the order of names are unchanged.
 *
 * The text must be valid JSON. By its grammar (RFC 8259), text outside of strings consists of `{ } [ ] , :`, blanks,
 * numbers and words.
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

/** Strings, punctuation, numbers and words, without the blanks between them. */
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

/**
 * The index after the string that begins at `at`. An even number of backslashes, or none, precedes its closing quote.
 */
function stringEnd(text: string, at: number): number {
  let quote = at
  for (;;) {
    quote = text.indexOf('"', quote + 1)
    assert(quote !== -1, 'a string of a valid JSON document has a closing quote')
    let backslashes = 0
    while (text.charAt(quote - 1 - backslashes) === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
}

/** The index after the token at `at`: a whole number or word, or one punctuation mark or blank. */
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
