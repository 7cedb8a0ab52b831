import type { RecordPart } from './records.ts'

/** Records whose text is written as it is have nothing that repeats. One object, as `RecordPart.prefix` asks for. */
const NO_PREFIX = new Uint8Array(0)

/** A text as UTF-8: keys and values of internal topics. */
export function textPart(text: string): RecordPart {
  const buffer = Buffer.from(text)
  return { prefix: NO_PREFIX, buffer, start: 0, end: buffer.length }
}
