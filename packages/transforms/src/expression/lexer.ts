import { ExpressionSyntaxError } from './expression-error.ts'
import type { Language } from './language.ts'
import { EXPRESSION_CHARACTERS_MAX } from './limits.ts'
import { readNumber } from './number-literal.ts'
import { operatorAt } from './operator-token.ts'
import { readSlashes } from './slash-literal.ts'
import { readText } from './text-literal.ts'
import type { ReadToken, SourceRange, Token } from './token.ts'

/**
 * Splits an expression into tokens; the last one is the end.
 *
 * @throws ExpressionSyntaxError
 */
export function tokensOf(range: SourceRange, language: Language): readonly Token[] {
  if (range.source.length > EXPRESSION_CHARACTERS_MAX) {
    const reason = `the expression is longer than ${EXPRESSION_CHARACTERS_MAX} characters`
    throw new ExpressionSyntaxError(EXPRESSION_CHARACTERS_MAX, reason)
  }
  const source = range.source.slice(0, range.end)
  const tokens: Token[] = []
  let at = range.start
  for (;;) {
    const next = afterSpace(source, at)
    const isAfterLineBreak = /[\r\n]/.test(source.slice(at, next))
    at = next
    if (at >= source.length) {
      tokens.push({ tag: 'end', at, isAfterLineBreak })
      return tokens
    }
    const { token, end } = readToken({ source, at, language, isAfterValue: endsValue(tokens.at(-1)) })
    tokens.push({ ...token, at, isAfterLineBreak })
    at = end
  }
}

function readToken(place: LexerPlace): ReadToken {
  const { source, at, language, isAfterValue } = place
  const first = source.charAt(at)
  NAME.lastIndex = at
  const name = NAME.exec(source)?.[0]
  if (name !== undefined) return { token: { tag: 'name', name }, end: at + name.length }
  if (/\d/.test(first) || (first === '.' && /\d/.test(source.charAt(at + 1)) && !isAfterValue)) {
    return readNumber(source, at, language)
  }
  if (first === "'" || first === '"' || first === '`') return readText(source, at, language)
  if (first === '/' && !isAfterValue) return readSlashes(source, at, language)
  const found = operatorAt(source, at, language)
  if (found === null) throw new ExpressionSyntaxError(at, `${first} is not part of an expression`)
  const { operator, remedy } = found
  // Scripts of one expression may end like a statement.
  if (operator === ';' && afterSpace(source, at + 1) >= source.length) {
    return { token: { tag: 'end' }, end: source.length }
  }
  if (remedy !== null) throw new ExpressionSyntaxError(at, `${operator} is not supported`, remedy)
  return { token: { tag: 'operator', operator }, end: at + operator.length }
}

interface LexerPlace {
  readonly source: string
  readonly at: number
  readonly language: Language
  /** A slash divides, and a full stop is followed by a name. */
  readonly isAfterValue: boolean
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const SPACE = /\s+|\/\/[^\r\n]*/y

function endsValue(token: Token | undefined): boolean {
  if (token === undefined) return false
  if (token.tag === 'operator') return token.operator === ')' || token.operator === ']'
  return token.tag !== 'name' || (token.name !== 'in' && token.name !== 'return')
}

/** The index of the next character that is neither space nor comment. */
function afterSpace(source: string, start: number): number {
  let at = start
  for (;;) {
    SPACE.lastIndex = at
    const skipped = SPACE.exec(source)
    if (skipped !== null) at += skipped[0].length
    else if (source.startsWith('/*', at)) {
      const end = source.indexOf('*/', at + 2)
      if (end < 0) throw new ExpressionSyntaxError(at, 'the comment has no end', 'Close it with */')
      at = end + 2
    } else return at
  }
}
