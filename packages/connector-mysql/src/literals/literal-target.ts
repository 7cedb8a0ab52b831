import { type ConnectValue, Decimal } from '@tributary/connect-api'
import type { Charset, ColumnTarget, ColumnType } from '@tributary/mysql'
import { dateOfDays, formatDate } from '../schema/civil-time.ts'
import { bitsLiteral, bytesLiteral, encodedLiteral, floatLiteral, textLiteral, timeText } from './literal-text.ts'

/** Puts the value and its literal together. */
export type Pair = (value: ConnectValue, literal: string) => ConnectValue

type Target = ColumnTarget<ConnectValue>

/**
 * A target that pairs the result of another one with the literal of the same value. Times are those of a session whose
 * time zone is UTC, and which accepts dates that do not exist.
 */
export function literalTarget(target: Target, type: ColumnType, pair: Pair): Target {
  switch (target.kind) {
    case 'integer':
      return { kind: 'integer', isUnsigned: target.isUnsigned, of: (n) => pair(orSame(target.of, n), String(n)) }
    case 'year':
      // As a number, since the text 0 is the year 2000.
      return { kind: 'year', of: (year) => pair(orSame(target.of, year), String(year)) }
    case 'decimal':
      return {
        kind: 'decimal',
        of: (unscaled, scale) => pair(target.of(unscaled, scale), new Decimal(unscaled, scale).toString()),
      }
    case 'float':
    case 'double':
      return { kind: target.kind, of: (n) => pair(orSame(target.of, n), floatLiteral(n)) }
    case 'enum':
      return { kind: 'enum', of: (index) => pair(target.of(index), memberLiteral(index, type.members)) }
    case 'set':
      return { kind: 'set', of: (bits) => pair(target.of(bits), setLiteral(bits, type.members)) }
    case 'date':
    case 'time':
    case 'datetime':
    case 'timestamp':
      return temporalTarget(target, type, pair)
    case 'uuid':
    case 'inet4':
    case 'inet6':
      return { kind: target.kind, of: (text) => pair(target.of(text), textLiteral(text)) }
    default:
      return bytesTarget(target, type, pair)
  }
}

function orSame<T extends number | bigint>(of: ((value: T) => ConnectValue) | null, value: T): ConnectValue {
  return of === null ? value : of(value)
}

type Temporal = Extract<Target, { readonly kind: 'date' | 'time' | 'datetime' | 'timestamp' }>

function temporalTarget(target: Temporal, { length }: ColumnType, pair: Pair): Target {
  const digits = length ?? 0
  switch (target.kind) {
    case 'date':
      return { kind: 'date', of: (date) => pair(target.of(date), `'${formatDate(date)}'`) }
    case 'time':
      return { kind: 'time', of: (micros) => pair(target.of(micros), `'${timeText(micros, digits)}'`) }
    case 'datetime':
      return {
        kind: 'datetime',
        of: (date, micros) => pair(target.of(date, micros), `'${formatDate(date)} ${timeText(micros, digits)}'`),
      }
    case 'timestamp':
      return {
        kind: 'timestamp',
        of: (seconds, micros) => pair(target.of(seconds, micros), `'${instantText(seconds, micros, digits)}'`),
      }
  }
}

/** In UTC. Second 0 is the zero timestamp. */
function instantText(seconds: number, micros: number, digits: number): string {
  if (seconds === 0) return `0000-00-00 ${timeText(micros, digits)}`
  const days = Math.floor(seconds / SECONDS_PER_DAY)
  const microsOfDay = (seconds - days * SECONDS_PER_DAY) * 1_000_000 + micros
  return `${formatDate(dateOfDays(days))} ${timeText(microsOfDay, digits)}`
}

const SECONDS_PER_DAY = 86_400

type Bytes = Extract<Target, { readonly kind: 'text' | 'binary' | 'bit' | 'json' | 'geometry' | 'vector' | 'raw' }>

function bytesTarget(target: Bytes, type: ColumnType, pair: Pair): Target {
  const literal = bytesLiteralOf(target, type)
  return {
    kind: target.kind,
    of: (bytes, start, end) => pair(target.of(bytes, start, end), literal(bytes, start, end)),
  }
}

function bytesLiteralOf(target: Bytes, type: ColumnType): (bytes: Buffer, start: number, end: number) => string {
  switch (target.kind) {
    case 'text': {
      const { charset } = target
      return charset === undefined ? bytesLiteral : (...place) => charsetLiteral(charset, type, ...place)
    }
    case 'json':
      return (bytes, start, end) => textLiteral(bytes.toString('utf8', start, end))
    case 'bit':
      return bitsLiteral
    case 'binary':
      return type.name === 'BINARY' ? (...place) => paddedLiteral(type.length ?? 1, ...place) : bytesLiteral
    case 'geometry':
    case 'vector':
    case 'raw':
      return bytesLiteral
  }
}

/** The binlog omits zero bytes at the end of BINARY, and a condition compares them. */
function paddedLiteral(length: number, bytes: Buffer, start: number, end: number): string {
  const whole = Buffer.alloc(Math.max(length, end - start))
  bytes.copy(whole, 0, start, end)
  return bytesLiteral(whole, 0, whole.length)
}

function charsetLiteral(charset: Charset, { charset: name }: ColumnType, ...place: readonly [Buffer, number, number]) {
  const text = charset.decode(...place)
  const isExact = charset.isLossy !== true && text.isWellFormed() && !text.includes('\uFFFD')
  return isExact ? textLiteral(text) : encodedLiteral(name ?? 'utf8mb4', ...place)
}

/** Index 0 is the empty text of an invalid value, which no member has. */
function memberLiteral(index: number, members: readonly string[]): string {
  const member = members[index - 1]
  return member === undefined ? `(${index})` : textLiteral(member)
}

/** The texts of the members, unless one of them is empty: then the number. */
function setLiteral(bits: number | bigint, members: readonly string[]): string {
  const chosen: string[] = []
  let rest = BigInt(bits)
  for (let i = 0; rest !== 0n; i++, rest >>= 1n) if ((rest & 1n) === 1n) chosen.push(members[i] ?? '')
  return chosen.includes('') ? String(bits) : textLiteral(chosen.join(','))
}
