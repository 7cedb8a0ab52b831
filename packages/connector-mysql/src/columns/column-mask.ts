import { type ConnectValue, EncodedText } from '@tributary/connect-api'
import type { Column, ColumnMask } from '@tributary/connector-kit'
import { createHash, getHashes } from 'node:crypto'
import { javaSerializedString } from './java-serialized-string.ts'

/** `column.mask.with.N.chars`: asterisks, also for NULL. */
export function asterisks(count: number): ColumnMask {
  const text = '*'.repeat(count)
  return () => text
}

/** `column.truncate.to.N.chars`: Java's characters, units of UTF-16; of bytes, the first N. */
export function truncation(length: number): ColumnMask {
  return (value) => {
    if (value instanceof Uint8Array) return value.length <= length ? value : value.subarray(0, length)
    const text = textOf(value)
    return text === null || text.length <= length ? value : text.slice(0, length)
  }
}

/** The versions of `column.mask.hash`: what is hashed after the salt. */
export type HashVersion = 'v1' | 'v2'

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
  const { salt, version, column } = options
  const algorithm = nodeAlgorithm(options.algorithm) ?? options.algorithm
  return (value) => {
    const text = textOf(value)
    if (text === null) return null
    const bytes = version === 'v1' ? javaSerializedString(text) : Buffer.from(text)
    const digits = createHash(algorithm).update(salt).update(bytes).digest('hex')
    return column.length === null || column.length <= 0 ? digits : digits.slice(0, column.length)
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
