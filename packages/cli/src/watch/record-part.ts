import { isUtf8 } from 'node:buffer'

/** The parts of a record, by their names in messages. */
export type PartName = 'key' | 'value'

export const NULL_KEY = 'null'

/** The content of a key or a value. */
export type PartForm = 'json' | 'text' | 'binary'

/** Detects the content: `json` if it parses, `text` if it is other UTF-8, otherwise `binary` (Avro, for example). */
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
 * The text that is printed for tombstones, which have no bytes of their own. It resembles the other values of the
 * topic: a document with a null schema and a null payload, or a plain null if the topic's documents have no schema.
 */
export class Tombstones {
  #text = TOMBSTONE

  /** Takes the form from a value of the topic. */
  observe(value: Buffer): void {
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
