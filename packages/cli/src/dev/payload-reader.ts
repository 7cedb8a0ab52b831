import { isObject, jsonText, type JsonValue, parseExactly } from '@tributary/verify'

/** The value of a record without its schema. */
export interface Payload {
  readonly text: string
  /** As in the record; null: the topic has no schemas. */
  readonly schema: JsonValue
}

const SCHEMA_FIRST = '{"schema":'

/**
 * Takes the payloads out of the documents of one topic. Their schemas, which are most of each document, change seldom:
 * that of the last document is not parsed again.
 */
export class PayloadReader {
  /** Of the last document: everything before its payload. */
  #head: Buffer | null = null
  #schema: JsonValue = null

  /** Null: the bytes are no JSON document. */
  read(bytes: Buffer): Payload | null {
    const head = this.#head
    if (head !== null && bytes.subarray(0, head.length).equals(head)) {
      return { text: bytes.toString('utf8', head.length, bytes.length - 1), schema: this.#schema }
    }
    const text = bytes.toString()
    const document = parsed(text)
    if (document === undefined) return null
    if (!text.startsWith(SCHEMA_FIRST) || !isObject(document) || document['payload'] === undefined) {
      return { text, schema: null }
    }
    this.#schema = document['schema'] ?? null
    const known = `${SCHEMA_FIRST}${jsonText(this.#schema)},"payload":`
    // Another spelling of the same schema is parsed again for each document.
    this.#head = text.startsWith(known) ? Buffer.from(known) : null
    return {
      text: this.#head === null ? jsonText(document['payload']) : text.slice(known.length, -1),
      schema: this.#schema,
    }
  }
}

/** Undefined: it is no JSON. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return parseExactly(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
