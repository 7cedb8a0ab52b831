import type { ColumnType, ColumnTypeName } from '@tributary/mysql'

const INTEGERS: ReadonlySet<ColumnTypeName> = new Set<ColumnTypeName>([
  'TINYINT',
  'SMALLINT',
  'MEDIUMINT',
  'INT',
  'BIGINT',
  'YEAR',
])
const TEXTS: ReadonlySet<ColumnTypeName> = new Set<ColumnTypeName>([
  'CHAR',
  'VARCHAR',
  'TINYTEXT',
  'TEXT',
  'MEDIUMTEXT',
  'LONGTEXT',
  'BINARY',
  'VARBINARY',
  'TINYBLOB',
  'BLOB',
  'MEDIUMBLOB',
  'LONGBLOB',
])

/**
 * The number that the server stores as the default of a column: rounded to its type, or as the text that it makes of the
 * number. A number that it stores as written does not change.
 *
 * @param text as written, with a sign
 * @param isLiteral false: the number is in quotes. A literal with an exponent is a double.
 */
export function storedNumber(text: string, type: ColumnType, isLiteral: boolean): string {
  const isDouble = isLiteral && /e/i.test(text)
  if (INTEGERS.has(type.name)) return isWhole(text) ? text : rounded(text, 0, isDouble)
  if (type.name === 'DECIMAL') return storedDecimal(text, type.scale ?? 0)
  if (type.name === 'FLOAT' || type.name === 'DOUBLE') return storedFloat(text, type.scale)
  if (isLiteral && TEXTS.has(type.name)) return isDouble ? doubleText(Number(text)) : decimalText(text)
  return text
}

/**
 * False: a session that is not strict stores another number in place of a text. MySQL accepts `x` as the default of a
 * DECIMAL, which is 0, and both servers accept a FLOAT out of its range.
 */
export function isStorable(text: string, { name }: ColumnType): boolean {
  if (name === 'DECIMAL') return NUMBER.test(text)
  return name !== 'FLOAT' || Math.abs(Number(text)) <= FLOAT_MAX
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i
const FLOAT_MAX = 3.4028235e38

/** The members of ENUM and SET in the spelling and order of the type. */
export function storedMembers(text: string, { name, members }: ColumnType): string {
  if (name === 'ENUM') return memberLike(text, members)
  if (name !== 'SET' || text === '') return text
  const chosen = new Set(text.split(',').map((part) => memberLike(part, members)))
  const inOrder = members.filter((member) => chosen.has(member))
  return inOrder.length === chosen.size ? inOrder.join(',') : text
}

/** Most collations ignore case and trailing blanks. */
function memberLike(text: string, members: readonly string[]): string {
  const trimmed = text.replace(/ +$/, '')
  if (members.includes(trimmed)) return trimmed
  const lower = trimmed.toLowerCase()
  return members.find((member) => member.toLowerCase() === lower) ?? text
}

function isWhole(text: string): boolean {
  return /^[+-]?\d+$/.test(text)
}

function storedDecimal(text: string, scale: number): string {
  const fraction = /\.(\d*)$/.exec(text)?.[1] ?? ''
  const isStored = /^[+-]?\d*\.?\d*$/.test(text) && fraction.length <= scale
  return isStored ? text : rounded(text, scale, false)
}

/** FLOAT(M,D) rounds the fraction in binary arithmetic (sql/field.cc, Field_real::truncate). */
function storedFloat(text: string, scale: number | null): string {
  const number = Number(text)
  if (scale === null || !Number.isFinite(number)) return text
  const factor = 10 ** scale
  const whole = Math.floor(number)
  const scaled = whole + roundHalfEven((number - whole) * factor) / factor
  return Number.isFinite(scaled) && scaled !== number ? String(scaled) : text
}

/** Rounds half away from zero, or half to even when the server computes with a double. Exact texts do not change. */
function rounded(text: string, scale: number, isDouble: boolean): string {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text.trim())
  if (parts === null) return text
  if (isDouble && scale === 0) {
    const number = Number(text)
    return Number.isFinite(number) && !Number.isInteger(number) ? BigInt(roundHalfEven(number)).toString() : text
  }
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  // More digits than a server accepts would only cost memory.
  if (Math.abs(Number(exponent)) > EXPONENT_MAX) return text
  const digits = `${whole}${fraction}`
  const shift = Number(exponent) - fraction.length + scale
  if (shift >= 0 || /^0*$/.test(digits.slice(shift))) return text
  const scaled = halfUp(digits, -shift)
  const all = scaled.toString().padStart(scale + 1, '0')
  const value = scale === 0 ? all : `${all.slice(0, -scale)}.${all.slice(-scale)}`
  return sign === '-' && scaled !== 0n ? `-${value}` : value
}

const EXPONENT_MAX = 400

/** The digits without the last `count`, rounded. */
function halfUp(digits: string, count: number): bigint {
  const padded = digits.padStart(count + 1, '0')
  const kept = BigInt(padded.slice(0, -count))
  return (padded.at(-count) ?? '0') >= '5' ? kept + 1n : kept
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

/** `007` is 7, `.5` is 0.5, `5.` is 5, `1.50` remains. */
function decimalText(text: string): string {
  const parts = /^([+-]?)(\d*)(\.\d+|\.)?$/.exec(text)
  if (parts === null) return text
  const [, sign = '', whole = '', fraction = ''] = parts
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '.' ? '' : fraction}`
}

/** A double as the servers print it (dtoa.c, my_gcvt): without an exponent from 1e-15 to 1e15. */
function doubleText(value: number): string {
  const size = Math.abs(value)
  if (value === 0 || (size >= 1e-15 && size < 1e15)) return plainText(value)
  return String(value).replace('e+', 'e')
}

function plainText(value: number): string {
  const text = String(value)
  const parts = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text)
  if (parts === null) return text
  const [, sign = '', first = '', rest = '', exponent = '0'] = parts
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`
}
