import type { RecordPart } from './records.ts'

/** One object for all parts without a prefix: `RecordPart.prefix` is compared by identity. */
const NO_PREFIX = new Uint8Array(0)

/** A text as UTF-8: keys and values of internal topics. */
export function textPart(text: string): RecordPart {
  const buffer = Buffer.from(text)
  return { prefix: NO_PREFIX, buffer, start: 0, end: buffer.length }
}
