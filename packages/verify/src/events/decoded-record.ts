import { isUtf8 } from 'node:buffer'
import type { LogRecord } from '@tributary/kafka'
import { toError } from '@tributary/support'
import { jsonText, type JsonValue, parseExactly } from '../forms/json-value.ts'
import { type ConverterOptions, RecordDecoder } from '../topic/record-decoder.ts'

/** A key or a value for people: a document if it is one, otherwise a text. Numbers keep their spelling. */
export interface DecodedPart {
  /** Undefined: there is none, or the bytes are no document. */
  readonly document: JsonValue | undefined
  /** Null: the record has none. */
  readonly text: string | null
  /** Why the bytes are shown instead of their content; null: they are not. */
  readonly note: string | null
}

/** Reads one side of the records of a topic, whatever they contain. */
export class PartReader {
  readonly #options: ConverterOptions
  readonly #side: 'key' | 'value'
  /** Null: a converter of another kind, whose records are texts or bytes. */
  #decoder: RecordDecoder | null
  #problem: string | null = null

  constructor(options: ConverterOptions, side: 'key' | 'value') {
    this.#options = options
    this.#side = side
    this.#decoder = this.#create()
  }

  #create(): RecordDecoder | null {
    try {
      return new RecordDecoder(this.#options, this.#side)
    } catch {
      return null
    }
  }

  /** Loads the schemas that records need. Without them, their bytes are shown, with the reason. */
  async prepare(records: readonly LogRecord[], signal: AbortSignal): Promise<void> {
    this.#problem = null
    try {
      await this.#decoder?.prepare(records, signal)
    } catch (error) {
      if (signal.aborted) throw error
      this.#problem = `The schema of the ${this.#side} cannot be read: ${toError(error).message}`
      // The decoder remembers a failure; the registry may answer for the next records.
      this.#decoder = this.#create()
    }
  }

  read(record: LogRecord): DecodedPart {
    const bytes = record[this.#side]
    if (bytes === null) return { document: undefined, text: null, note: null }
    const document = this.#decoder === null ? parsed(bytes) : this.#decoder.document(bytes, true)
    if (document !== undefined) return { document, text: jsonText(document), note: null }
    if (isUtf8(bytes) && this.#problem === null) return { document, text: bytes.toString(), note: null }
    const text = bytes.toString('hex').slice(0, HEX_MAX)
    return { document, text, note: this.#problem ?? `The ${this.#side} is neither JSON nor text; its bytes follow.` }
  }
}

const HEX_MAX = 512

function parsed(bytes: Buffer): JsonValue | undefined {
  if (!isUtf8(bytes)) return undefined
  try {
    return parseExactly(bytes.toString())
  } catch {
    return undefined
  }
}
