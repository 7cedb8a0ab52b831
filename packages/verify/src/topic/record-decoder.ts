import { AvroReader } from '@tributary/converters'
import type { LogRecord } from '@tributary/kafka'
import { isObject, type JsonObject, type JsonValue, parseExactly } from '../forms/json-value.ts'
import { verifyErrors } from '../errors.ts'

/** A converter of the connector: its class and its options without prefix. */
export interface ConverterOptions {
  readonly className: string
  readonly options: Readonly<Record<string, string>>
}

/** Reads one side of records: keys or values. */
export class RecordDecoder {
  readonly isAvro: boolean
  readonly #side: 'key' | 'value'
  readonly #avro: AvroReader | null
  readonly #prefixes = new PayloadPrefixes()
  readonly #hasSchemas: boolean
  #unreadable: Error | null = null

  /** @throws VERIFY_CONVERTER when records of that converter cannot be read */
  constructor({ className, options }: ConverterOptions, side: 'key' | 'value') {
    this.#side = side
    this.isAvro = /\.?AvroConverter$/.test(className)
    const isJson = /(^|\.)json\.JsonConverter$|^JsonConverter$|^Json$/.test(className)
    if (!this.isAvro && !isJson) throw verifyErrors.VERIFY_CONVERTER({ property: `${side}.converter`, className })
    this.#avro = this.isAvro
      ? new AvroReader(options, side === 'key', (_id, error) => (this.#unreadable = error))
      : null
    this.#hasSchemas = (options['schemas.enable'] ?? 'true').trim().toLowerCase() !== 'false'
  }

  /** Loads the schemas that records need; JSON has them inside. */
  async prepare(records: readonly LogRecord[], signal: AbortSignal): Promise<void> {
    const error = await this.load(records, signal)
    if (error !== null) throw error
  }

  /** Loads all schemas that can be loaded. Returns the last error of the registry, if there was one. */
  async load(records: readonly LogRecord[], signal: AbortSignal): Promise<Error | null> {
    await this.#avro?.loadSchemas(
      records.map((record) => record[this.#side]),
      signal,
    )
    return this.#unreadable
  }

  /**
   * The document of a record; null for null.
   *
   * @param isExact numbers keep their spelling
   * @throws VERIFY_RECORD
   */
  read(record: LogRecord, isExact: boolean): JsonObject | null {
    const bytes = record[this.#side]
    if (bytes === null) return null
    const value = this.document(bytes, isExact)
    if (value === null) return null
    if (isObject(value)) return value
    const { topic, partition, offset } = record
    throw verifyErrors.VERIFY_RECORD({ topic, partition, offset: String(offset), side: this.#side })
  }

  /** The document of a key or value; undefined when the bytes are not of the converter's form. */
  document(bytes: Buffer, isExact: boolean): JsonValue | undefined {
    try {
      return this.#parse(bytes, isExact)
    } catch (error) {
      if (error instanceof SyntaxError) return undefined
      throw error
    }
  }

  #parse(bytes: Buffer, isExact: boolean): JsonValue | undefined {
    const parse = isExact ? parseExactly : (text: string) => JSON.parse(text) as JsonValue
    if (this.#avro !== null) {
      const text = this.#avro.read(bytes)
      return text === null ? undefined : parse(text)
    }
    if (!this.#hasSchemas) return parse(bytes.toString())
    const start = this.#prefixes.lengthOf(bytes)
    if (start > 0) return parse(bytes.toString('utf8', start, bytes.length - 1))
    const document = parse(bytes.toString())
    if (!isObject(document)) return undefined
    const { payload } = document
    if (payload !== undefined) this.#prefixes.learn(bytes, document['schema'])
    return payload
  }
}

/**
 * The schema halves of JSON documents, which most records of a topic share: they are parsed once. A record begins with
 * one when its bytes do.
 */
class PayloadPrefixes {
  #known: Buffer[] = []

  /** The number of bytes before the payload; 0 when it is not known. */
  lengthOf(bytes: Buffer): number {
    for (const prefix of this.#known) {
      if (bytes.length > prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0) {
        return prefix.length
      }
    }
    return 0
  }

  /** The schema precedes the payload, as the converters of Java and of Tributary write it. */
  learn(bytes: Buffer, schema: JsonValue | undefined): void {
    const mark = bytes.indexOf(PAYLOAD)
    if (mark < 0 || schema === undefined || bytes.at(-1) !== BRACE) return
    const end = mark + PAYLOAD.length
    // A schema may contain the words of the mark: then this is not the end of the first half.
    try {
      const half = JSON.parse(`${bytes.toString('utf8', 0, end)}null}`) as Record<string, unknown>
      if (!('schema' in half) || Object.keys(half).length !== 2) return
    } catch {
      return
    }
    this.#known = [Buffer.from(bytes.subarray(0, end)), ...this.#known].slice(0, PREFIXES_MAX)
  }
}

const PAYLOAD = Buffer.from(',"payload":')
const BRACE = 0x7d
/** Versions of a table whose records alternate. */
const PREFIXES_MAX = 4
