import { ExpressionSyntaxError } from './expression-error.ts'
import type { Language } from './language.ts'
import type { ReadToken } from './token.ts'

/** Reads what is between slashes: a text in Groovy, where only `\/` is an escape, a regular expression in JavaScript. */
export function readSlashes(source: string, at: number, language: Language): ReadToken {
  let inClass = false
  for (let i = at + 1; i < source.length; i++) {
    const c = source.charAt(i)
    if (language === 'javascript' && /[\r\n]/.test(c)) break
    if (c === '\\') i += 1
    else if (language === 'groovy' && c === '$' && /[\p{L}_{]/u.test(source.charAt(i + 1))) {
      throw new ExpressionSyntaxError(i, '$ inserts a value between slashes', 'Write the pattern in single quotes')
    } else if (language === 'javascript' && c === '[') inClass = true
    else if (language === 'javascript' && c === ']') inClass = false
    else if (c === '/' && !inClass) return slashToken(source.slice(at + 1, i), source, i + 1, language)
  }
  throw new ExpressionSyntaxError(at, 'the pattern has no end', 'Close it with /')
}

function slashToken(pattern: string, source: string, end: number, language: Language): ReadToken {
  if (language === 'groovy') return { token: { tag: 'literal', value: pattern.replaceAll('\\/', '/') }, end }
  FLAGS.lastIndex = end
  const flags = FLAGS.exec(source)?.[0] ?? ''
  return { token: { tag: 'pattern', source: pattern, flags }, end: end + flags.length }
}

const FLAGS = /[\p{L}\p{N}_$]*/uy
