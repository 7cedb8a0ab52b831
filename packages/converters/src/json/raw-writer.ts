import type { ByteWriter } from '@tributary/support'
import type { PayloadWriter, ValueSite } from './value-site.ts'

/** Appends the value that is the bytes `[start, end)`, with the punctuation and the name that stand before it. */
export type RawWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/** A field of a struct: where its values stand in the document, and how one that is no raw bytes is written. */
export interface RawSite {
  readonly site: ValueSite
  readonly write: PayloadWriter
}
