import { isUtf8 } from 'node:buffer'
import type { RecordHeader } from '@tributary/kafka'
import { isObject, type JsonValue, parseExactly } from './json-value.ts'

/** A key or a value as it is compared. */
export interface DecodedPart {
  /** The schema half of a document, as it is written; null: it has none. */
  readonly schema: string | null
  /** The payload. Bytes that are no JSON are their text. */
  readonly payload: JsonValue
}

/** A record as it is compared. Null: Kafka's null. */
export interface DecodedRecord {
  readonly key: DecodedPart | null
  readonly value: DecodedPart | null
  readonly headers: readonly { readonly name: string; readonly text: string }[]
}

/** Reads the bytes of JSON documents, with and without schemas. */
export class PartDecoder {
  /** Schema halves that are known to be whole: their records are split without parsing them. */
  readonly #halves = new Set<string>()

  decode(bytes: Buffer | null): DecodedPart | null {
    if (bytes === null) return null
    const text = exactText(bytes)
    try {
      return this.#split(text) ?? wholeDocument(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return { schema: null, payload: text }
    }
  }

  /** Null: the document does not begin with a schema. */
  #split(text: string): DecodedPart | null {
    if (!text.startsWith(SCHEMA) || !text.endsWith('}')) return null
    const mark = text.indexOf(PAYLOAD)
    if (mark < 0) return null
    const half = text.slice(SCHEMA.length, mark)
    if (!this.#halves.has(half)) {
      // A text inside the schema may contain the mark.
      if (!isJson(half)) return null
      if (this.#halves.size >= HALVES_MAX) this.#halves.clear()
      this.#halves.add(half)
    }
    return { schema: half, payload: parseExactly(text.slice(mark + PAYLOAD.length, -1)) }
  }
}

const SCHEMA = '{"schema":'
const PAYLOAD = ',"payload":'
/** Versions of tables; each is some kilobytes. */
const HALVES_MAX = 1_000

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function wholeDocument(text: string): DecodedPart {
  const document = parseExactly(text)
  if (isObject(document) && Object.keys(document).length === 2 && 'schema' in document && 'payload' in document) {
    return { schema: JSON.stringify(document['schema']), payload: document['payload'] ?? null }
  }
  return { schema: null, payload: document }
}

/** Maps each byte to a character if the bytes are no UTF-8, so that different bytes stay different. */
function exactText(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
}

export function decodeHeaders(headers: readonly RecordHeader[]): DecodedRecord['headers'] {
  return headers.map(({ key, value }) => ({
    name: exactText(key),
    text: value === null ? 'null' : JSON.stringify(exactText(value)),
  }))
}
