import { Decimal } from '@tributary/connect-api'
import { ExpressionSyntaxError } from './expression-error.ts'
import type { Language } from './language.ts'
import type { ReadToken } from './token.ts'
import { EXPONENT_MAX } from './limits.ts'
import { BigInteger, FloatingNumber, type Value } from './values.ts'

const INTEGER = /0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+/y
const DECIMAL = /(\d[\d_]*)?(?:\.(\d[\d_]*))?(?:[eE]([+-]?\d+))?/y
const SUFFIX = /[\p{L}\p{N}_$]+/uy

/** Reads a number; the source has a digit there, or a full stop and a digit. */
export function readNumber(source: string, at: number, language: Language): ReadToken {
  const integer = match(INTEGER, source, at)
  const [text = ''] = integer ?? match(DECIMAL, source, at) ?? []
  if (text.length > DIGITS_MAX) throw new ExpressionSyntaxError(at, `the number has more than ${DIGITS_MAX} digits`)
  const [suffix = ''] = match(SUFFIX, source, at + text.length) ?? []
  const plain = text.replaceAll('_', '')
  const exponent = integer === null ? Number(/[eE]([+-]?\d+)$/.exec(plain)?.[1] ?? 0) : 0
  if (Math.abs(exponent) > EXPONENT_MAX) {
    throw new ExpressionSyntaxError(at, `the exponent of ${text} is beyond ±${EXPONENT_MAX}`)
  }
  const read = language === 'groovy' ? groovyNumber : javaScriptNumber
  const value = read(plain, suffix, integer !== null)
  if (value !== null) return { token: { tag: 'literal', value }, end: at + text.length + suffix.length }
  throw new ExpressionSyntaxError(at, `${text}${suffix} is not a number`, 'Write only its digits, or quote it')
}

/** Those of a literal; nobody compares with longer ones. */
const DIGITS_MAX = 1_000

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

function javaScriptNumber(plain: string, suffix: string, isPrefixed: boolean): Value {
  // An old octal number, or an integer of any size, which has other operators.
  if (suffix !== '' || (!isPrefixed && /^0\d/.test(plain))) return null
  return Number(plain)
}

function groovyNumber(plain: string, suffix: string, isPrefixed: boolean): Value {
  const kind = suffix.toLowerCase()
  if (!isPrefixed && /[.eE]/.test(plain)) {
    if (kind === 'd') return new FloatingNumber(Number(plain), 64)
    if (kind === 'f') return new FloatingNumber(Math.fround(Number(plain)), 32)
    return kind === '' || kind === 'g' ? decimalOf(plain) : null
  }
  const digits = !isPrefixed && /^0\d/.test(plain) ? `0o${plain.slice(1)}` : plain
  if (/^0o.*[89]/.test(digits)) return null
  const value = BigInt(digits)
  switch (kind) {
    case '':
      return smallestInteger(value)
    case 'i':
      return value <= INTEGER_MAX ? Number(value) : null
    case 'l':
      return value <= LONG_MAX ? value : null
    case 'g':
      return new BigInteger(value)
    case 'd':
      return isPrefixed ? null : new FloatingNumber(Number(plain), 64)
    case 'f':
      return isPrefixed ? null : new FloatingNumber(Math.fround(Number(plain)), 32)
    default:
      return null
  }
}

function smallestInteger(value: bigint): Value {
  if (value <= INTEGER_MAX) return Number(value)
  return value <= LONG_MAX ? value : new BigInteger(value)
}

const INTEGER_MAX = 2n ** 31n - 1n
const LONG_MAX = 2n ** 63n - 1n

function decimalOf(plain: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d*)\.?(\d*)(?:[eE](.*))?$/.exec(plain) ?? []
  return new Decimal(BigInt(whole + fraction), fraction.length - Number(exponent))
}
