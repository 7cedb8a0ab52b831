import { ExpressionSyntaxError } from './expression-error.ts'
import type { Language } from './language.ts'

const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', s: ' ' }

/** Reads the escape sequence at a backslash. */
export function readEscape(
  source: string,
  at: number,
  language: Language,
): { readonly text: string; readonly end: number } {
  const rest = source.slice(at + 1, at + 10)
  const hex = (language === 'groovy' ? /^u+([\da-fA-F]{4})/ : /^(?:u([\da-fA-F]{4})|x([\da-fA-F]{2}))/).exec(rest)
  if (hex !== null) {
    return { text: String.fromCharCode(Number.parseInt(hex[1] ?? hex[2] ?? '', 16)), end: at + 1 + hex[0].length }
  }
  const octal = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(rest)?.[0]
  if (octal !== undefined && (language === 'groovy' || octal === '0')) {
    return { text: String.fromCharCode(Number.parseInt(octal, 8)), end: at + 1 + octal.length }
  }
  const lineBreak = /^(?:\r\n|\n|\r)/.exec(rest)?.[0]
  if (lineBreak !== undefined) return { text: '', end: at + 1 + lineBreak.length }
  const c = rest.charAt(0)
  const end = at + 1 + c.length
  if (language === 'javascript') {
    if (c === 'v') return { text: '\v', end }
    if (/^[\dux]$/.test(c))
      throw new ExpressionSyntaxError(at, `\\${c} is not an escape sequence`, 'Write \\u and four digits')
    if (c === 's') return { text: 's', end }
    return { text: LETTERS[c] ?? c, end }
  }
  const text = LETTERS[c] ?? (/^[\\'"$]$/.test(c) ? c : null)
  if (text === null) {
    throw new ExpressionSyntaxError(at, `\\${c} is not an escape sequence`, `Write \\\\${c} for a backslash`)
  }
  return { text, end }
}
