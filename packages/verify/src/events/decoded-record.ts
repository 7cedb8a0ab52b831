import { isUtf8 } from 'node:buffer'
import type { LogRecord } from '@tributary/kafka'
import { isRetriable, systemClock, toError, type Clock } from '@tributary/support'
import { jsonText, type JsonValue, parseExactly } from '../forms/json-value.ts'
import { type ConverterOptions, RecordDecoder } from '../topic/record-decoder.ts'

/** A key or a value for people: a document if it is one, otherwise a text. Numbers keep their spelling. */
export interface DecodedPart {
  /** Undefined: there is none, or the bytes are no document. */
  readonly document: JsonValue | undefined
  /** Null: the record has none. */
  readonly text: string | null
  /** Whether the text is the JSON of the document. A text that only looks like JSON is shown as it is. */
  readonly isDocument: boolean
  /** Why the bytes are shown instead of their content; null: they are not. */
  readonly note: string | null
}

/** A schema that the registry does not know may be registered later. */
const UNKNOWN_MS = 60_000
/** A registry that does not answer would delay each batch. */
const SILENT_MS = 10_000

/** Reads one side of the records of a topic, whatever they contain. */
export class PartReader {
  readonly #options: ConverterOptions
  readonly #side: 'key' | 'value'
  readonly #clock: Clock
  /** Null: a converter of another kind, whose records are texts or bytes. */
  #decoder: RecordDecoder | null
  /** Why some schemas are not known, until when that holds, and until when the registry is not asked at all. */
  #problem: { readonly text: string; readonly untilMs: number; readonly silentUntilMs: number } | null = null

  constructor(options: ConverterOptions, side: 'key' | 'value', clock: Clock = systemClock) {
    this.#options = options
    this.#side = side
    this.#clock = clock
    this.#decoder = this.#create()
  }

  #create(): RecordDecoder | null {
    try {
      return new RecordDecoder(this.#options, this.#side)
    } catch {
      return null
    }
  }

  /** Loads the schemas that records need. Records without one are shown as bytes, with the reason. */
  async prepare(records: readonly LogRecord[], signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs()
    if (this.#problem !== null) {
      if (nowMs < this.#problem.silentUntilMs) return
      // The decoder remembers the ids that the registry does not know.
      if (nowMs >= this.#problem.untilMs) [this.#decoder, this.#problem] = [this.#create(), null]
    }
    const error = await this.#decoder?.load(records, signal)
    if (error === null || error === undefined) return
    this.#problem = {
      text: `The schema of the ${this.#side} cannot be read: ${error.message}`,
      untilMs: nowMs + UNKNOWN_MS,
      silentUntilMs: isRetriable(error) ? this.#clock.monotonicMs() + SILENT_MS : 0,
    }
  }

  read(record: LogRecord): DecodedPart {
    const bytes = record[this.#side]
    if (bytes === null) return { document: undefined, text: null, isDocument: false, note: null }
    try {
      return this.#read(bytes)
    } catch (error) {
      // Such as a document that is nested too deeply. The other records can be read.
      return asBytes(bytes, `The ${this.#side} cannot be read (${toError(error).message})`)
    }
  }

  #read(bytes: Buffer): DecodedPart {
    const isBinary = this.#decoder?.isAvro === true
    const document = isBinary || isUtf8(bytes) ? this.#decoder?.document(bytes, true) : undefined
    if (document !== undefined) return { document, text: jsonText(document), isDocument: true, note: null }
    // Avro begins with this byte.
    if (isBinary && bytes[0] === 0 && this.#problem !== null) return asBytes(bytes, this.#problem.text)
    const text = isUtf8(bytes) ? bytes.toString() : null
    if (text === null || CONTROL.test(text)) return asBytes(bytes, `The ${this.#side} is neither JSON nor text`)
    return { document: this.#decoder === null ? parsed(text) : undefined, text, isDocument: false, note: null }
  }
}

const BYTES_SHOWN_MAX = 256
/** Invisible: numbers of eight bytes are valid UTF-8, too. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u

function asBytes(bytes: Buffer, reason: string): DecodedPart {
  const shown = bytes.subarray(0, BYTES_SHOWN_MAX)
  const which = shown.length < bytes.length ? `the first ${shown.length} of its ${bytes.length} bytes` : 'its bytes'
  return {
    document: undefined,
    text: shown.toString('hex'),
    isDocument: false,
    note: `${reason.replace(/\.$/, '')}; ${which} are shown.`,
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseExactly(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
