import { isUtf8 } from 'node:buffer'

/** The halves of a record, as messages name them. */
export type PartName = 'key' | 'value'

/** A null value is a tombstone; its document, by the specification, has two nulls. */
export const TOMBSTONE = '{"schema":null,"payload":null}'
export const NULL_KEY = 'null'

/** What a key or a value turns out to be. */
export type PartForm = 'json' | 'text' | 'binary'

/** JSON by its grammar, else text when it is UTF-8, else binary (Avro, for example). */
export function formOf(bytes: Buffer): PartForm {
  if (!isUtf8(bytes)) return 'binary'
  try {
    JSON.parse(bytes.toString())
    return 'json'
  } catch {
    return 'text'
  }
}
