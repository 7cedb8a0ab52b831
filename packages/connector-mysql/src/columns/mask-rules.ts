import type { ConfigMap } from '@tributary/connect-api'
import { type Column, type ColumnMask, RegexList } from '@tributary/connector-kit'
import { asterisks, hash, truncation } from './column-mask.ts'

/** How a property such as `column.mask.with.5.chars` changes the values of its columns. */
export interface MaskRule {
  readonly kind: 'truncate' | 'asterisks' | 'hash'
  readonly columns: RegexList
  readonly maskOf: (column: Column) => ColumnMask
  /** Characters that a truncation leaves. */
  readonly length: number
}

/** Names that contain what they do. */
const TRUNCATE = /^column\.truncate\.to\.(\d+)\.chars$/
const ASTERISKS = /^column\.mask\.with\.(\d+)\.chars$/
export const HASH: RegExp = /^column\.mask\.hash\.(v2\.)?([^.]+)\.with\.salt\.(.+)$/

/** The rules of a configuration. @throws SyntaxError for values that the definition of the properties refuses */
export function maskRules(properties: ConfigMap): readonly MaskRule[] {
  return Object.entries(properties).flatMap(([name, value]) => maskRule(name, value) ?? [])
}

function maskRule(name: string, value: string): MaskRule | null {
  const truncated = TRUNCATE.exec(name)
  if (truncated !== null) {
    const length = Number(truncated[1])
    const mask = truncation(length)
    return { kind: 'truncate', columns: new RegexList(value), maskOf: () => mask, length }
  }
  const masked = ASTERISKS.exec(name)
  if (masked !== null) {
    const mask = asterisks(Number(masked[1]))
    return { kind: 'asterisks', columns: new RegexList(value), maskOf: () => mask, length: 0 }
  }
  const [hashed, v2, algorithm = '', salt = ''] = HASH.exec(name) ?? []
  if (hashed === undefined) return null
  const version = v2 === undefined ? 'v1' : 'v2'
  const maskOf = (column: Column): ColumnMask => hash({ algorithm, salt, version, column })
  return { kind: 'hash', columns: new RegexList(value), maskOf, length: 0 }
}
