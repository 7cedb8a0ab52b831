import { isUtf8 } from 'node:buffer'

/** The halves of a record, as messages name them. */
export type PartName = 'key' | 'value'

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

/**
 * How a topic's tombstones are shown. A null value has no bytes; by the specification its document has two nulls, as the other
 * documents of the topic have two halves. Where these have no schemas, it is a plain null.
 */
export class Tombstones {
  #text = TOMBSTONE

  /** A value of the topic. */
  see(value: Buffer): void {
    this.#text = value.subarray(0, SCHEMA_FIRST.length).equals(SCHEMA_FIRST) ? TOMBSTONE : PLAIN_TOMBSTONE
  }

  get text(): string {
    return this.#text
  }
}

const TOMBSTONE = '{"schema":null,"payload":null}'
const PLAIN_TOMBSTONE = 'null'
/** The JSON converter writes the schema before the payload. */
const SCHEMA_FIRST = Buffer.from('{"schema":')
