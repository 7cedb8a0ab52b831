import { type ConnectValue, EncodedText } from '@tributary/connect-api'
import type { Column, ColumnMask } from '@tributary/connector-kit'
import { getHashes, hash as hashOf } from 'node:crypto'
import { HashInput, type HashVersion } from './hash-input.ts'

/** `column.mask.with.N.chars`: asterisks, also for NULL. */
export function asterisks(count: number): ColumnMask {
  const text = '*'.repeat(count)
  return () => text
}

/** `column.truncate.to.N.chars`: Java's characters, units of UTF-16; of bytes, the first N. */
export function truncation(length: number): ColumnMask {
  return (value) => {
    if (value instanceof Uint8Array) return value.length <= length ? value : value.subarray(0, length)
    const short = value instanceof EncodedText ? truncatedAscii(value, length) : null
    if (short !== null) return short
    const text = textOf(value)
    return text === null || text.length <= length ? value : text.slice(0, length)
  }
}

/** Truncates without decoding; null when characters must be counted. A character has as many bytes as units, or more. */
function truncatedAscii(text: EncodedText, length: number): EncodedText | null {
  const { bytes, start, end, charset } = text
  if (!charset.isAsciiCompatible) return null
  if (end - start <= length) return text
  for (let i = start; i < start + length; i++) if ((bytes[i] as number) > 0x7f) return null
  return new EncodedText(bytes, start, start + length, charset)
}

/**
 * `column.mask.hash[.v2].ALGORITHM.with.salt.SALT`: the hash in hexadecimal digits, at most as many as the column has
 * characters. NULL stays NULL.
 */
export function hash(options: {
  readonly algorithm: string
  readonly salt: string
  readonly version: HashVersion
  readonly column: Column
}): ColumnMask {
  const { version, column } = options
  const input = new HashInput(options.salt, version)
  const algorithm = nodeAlgorithm(options.algorithm) ?? options.algorithm
  const digitsMax = column.length === null || column.length <= 0 ? Infinity : column.length
  let last = ''
  return (value) => {
    if (typeof value !== 'string' && !(value instanceof EncodedText)) return null
    const bytes = input.of(value)
    if (!input.isRepeated) last = hashOf(algorithm, bytes, 'hex').slice(0, digitsMax)
    return last
  }
}

/** The name that Node has for an algorithm of Java's MessageDigest, such as SHA-256; null for one that it lacks. */
export function nodeAlgorithm(name: string): string | null {
  const wanted = name.toLowerCase()
  const spellings = [wanted, wanted.replace(/^sha-/, 'sha'), wanted.replace(/^sha-/, 'sha').replace('/', '-')]
  const known = new Set(getHashes().map((each) => each.toLowerCase()))
  return spellings.find((spelling) => known.has(spelling)) ?? null
}

function textOf(value: ConnectValue): string | null {
  if (typeof value === 'string') return value
  return value instanceof EncodedText ? value.toString() : null
}
