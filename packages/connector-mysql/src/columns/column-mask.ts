import { type ConnectValue, EncodedText } from '@tributary/connect-api'
import type { Column, ColumnMask } from '@tributary/connector-kit'
import { createHash, getHashes } from 'node:crypto'
import { javaSerializedString } from './java-serialized-string.ts'

/** How the values of a column are changed in events, and the parameter by which its schema informs consumers. */
export interface ColumnTreatment {
  readonly mask: ColumnMask
  readonly parameter: readonly [name: string, value: string]
}

/** `column.mask.with.N.chars`: asterisks, also for NULL. */
export function maskWithAsterisks(count: number): ColumnTreatment {
  const asterisks = '*'.repeat(count)
  return { mask: () => asterisks, parameter: ['masked', 'true'] }
}

/** `column.truncate.to.N.chars`: Java's characters, units of UTF-16. */
export function truncateTo(length: number): ColumnTreatment {
  return {
    mask: (value) => {
      const text = textOf(value)
      return text === null || text.length <= length ? value : text.slice(0, length)
    },
    parameter: ['truncateLength', String(length)],
  }
}

/** The versions of `column.mask.hash`: what is hashed after the salt. */
export type HashVersion = 'v1' | 'v2'

/**
 * `column.mask.hash[.v2].ALGORITHM.with.salt.SALT`: the hash in hexadecimal digits, at most as many as the column has
 * characters. NULL stays NULL.
 */
export function maskWithHash(options: {
  readonly algorithm: string
  readonly salt: string
  readonly version: HashVersion
  readonly column: Column
}): ColumnTreatment {
  const { salt, version, column } = options
  const algorithm = nodeAlgorithm(options.algorithm) ?? options.algorithm
  return {
    mask: (value) => {
      const text = textOf(value)
      if (text === null) return null
      const bytes = version === 'v1' ? javaSerializedString(text) : Buffer.from(text)
      const digits = createHash(algorithm).update(salt).update(bytes).digest('hex')
      return column.length === null || column.length <= 0 ? digits : digits.slice(0, column.length)
    },
    parameter: ['masked', 'true'],
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
