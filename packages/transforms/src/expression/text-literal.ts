import { ExpressionSyntaxError } from './expression-error.ts'
import type { Language } from './language.ts'
import { readEscape } from './text-escape.ts'
import type { ReadToken, TextPart } from './token.ts'

/** Reads a text in quotes, with the expressions that are inserted into it. */
export function readText(source: string, at: number, language: Language): ReadToken {
  const quote = quoteAt(source, at, language)
  const inserts = language === 'groovy' ? quote.startsWith('"') : quote === '`'
  const hasLines = quote.length > 1 || quote === '`'
  const parts: TextPart[] = []
  let text = ''
  let i = at + quote.length
  while (!source.startsWith(quote, i)) {
    const c = source.charAt(i)
    if (c === '' || (!hasLines && /[\r\n]/.test(c))) {
      throw new ExpressionSyntaxError(at, 'the text has no end', `Close it with ${quote}`)
    }
    if (c === '\\') {
      const escape = readEscape(source, i, language)
      text += escape.text
      i = escape.end
      continue
    }
    const inserted = c === '$' && inserts ? readInserted(source, i, language) : null
    if (inserted === null) {
      text += c
      i += 1
    } else {
      parts.push(text, inserted.part)
      text = ''
      i = inserted.end
    }
  }
  const end = i + quote.length
  if (parts.length === 0) return { token: { tag: 'literal', value: text }, end }
  return { token: { tag: 'text', parts: [...parts, text] }, end }
}

function quoteAt(source: string, at: number, language: Language): string {
  const quote = source.charAt(at)
  if (quote === '`' && language === 'groovy') {
    throw new ExpressionSyntaxError(at, '` is not a quote in Groovy', 'Write \' or "')
  }
  const triple = quote.repeat(3)
  return language === 'groovy' && source.startsWith(triple, at) ? triple : quote
}

const DOTTED_NAME = /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/uy

/** Reads `${expression}` or, in Groovy, `$name.name`; null: the dollar sign is part of the text. */
function readInserted(
  source: string,
  dollar: number,
  language: Language,
): { readonly part: TextPart; readonly end: number } | null {
  const at = dollar + 1
  if (source.charAt(at) === '{') {
    const end = closingBrace(source, at)
    return { part: { source: source.slice(at + 1, end), at: at + 1 }, end: end + 1 }
  }
  if (language === 'javascript') return null
  DOTTED_NAME.lastIndex = at
  const name = DOTTED_NAME.exec(source)?.[0]
  if (name !== undefined) return { part: { source: name, at }, end: at + name.length }
  throw new ExpressionSyntaxError(dollar, '$ inserts a value in double quotes', 'Write \\$, or single quotes')
}

/** The index of the brace that ends an inserted expression, which contains only simple texts and no braces. */
function closingBrace(source: string, open: number): number {
  let quote = ''
  for (let i = open + 1; i < source.length; i++) {
    const c = source.charAt(i)
    if (c === '\\') i += 1
    else if (c === '{') {
      throw new ExpressionSyntaxError(i, 'an inserted expression contains a brace', 'Join the texts with + instead')
    } else if (quote !== '') quote = c === quote ? '' : quote
    else if (c === '}') return i
    else if (c === "'" || c === '"' || c === '`') quote = c
  }
  throw new ExpressionSyntaxError(open, 'the inserted expression has no end', 'Close it with }')
}
