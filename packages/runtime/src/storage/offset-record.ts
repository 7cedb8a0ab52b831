import type { OffsetDocument, OffsetPrimitive, SourcePartition } from '@tributary/connect-api'
import { runtimeErrors } from '../errors.ts'
import { isJsonObject } from './json-object.ts'

/**
 * Records of the offset topic, as Connect's OffsetStorageWriter writes them: key `["connector",{partition}]`, value
 * `{offset}`, compact JSON without a schema.
 */
export function offsetKey(connector: string, partition: SourcePartition): string {
  return `[${JSON.stringify(connector)},${offsetJson(partition)}]`
}

export function offsetJson(document: OffsetDocument): string {
  return `{${Object.entries(document)
    .map(([name, value]) => `${JSON.stringify(name)}:${primitiveJson(value)}`)
    .join(',')}}`
}

/** Whole numbers beyond 2^53 are bigint and keep their digits. */
function primitiveJson(value: OffsetPrimitive): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}

/** A text that is equal for equal partitions, whatever the order of their keys. */
export function partitionText(partition: SourcePartition): string {
  return offsetJson(Object.fromEntries(Object.entries(partition).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Null when it is no key of an offset. */
export function parseOffsetKey(text: string): { connector: string; partition: SourcePartition } | null {
  const parsed = parseJson(text)
  if (!Array.isArray(parsed) || parsed.length !== 2) return null
  const [connector, partition] = parsed as readonly unknown[]
  if (typeof connector !== 'string' || !isDocument(partition)) return null
  return { connector, partition }
}

/** @throws OFFSET_VALUE */
export function parseOffsetValue(text: string, connector: string, partition: SourcePartition): OffsetDocument {
  const parsed = parseJson(text)
  if (isDocument(parsed)) return parsed
  throw runtimeErrors.OFFSET_VALUE({ key: offsetKey(connector, partition), text })
}

/** A flat object: Connect stores nothing else (OffsetUtils.validateFormat). */
function isDocument(value: unknown): value is OffsetDocument {
  return isJsonObject(value) && Object.values(value).every((each) => each === null || typeof each !== 'object')
}

/** Numbers that would be rounded become bigint. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
      const source = context?.source ?? ''
      return /^-?\d+$/.test(source) ? BigInt(source) : value
    })
  } catch {
    return undefined
  }
}
