import { AvroReader } from '@tributary/converters'
import { type DecodedPart, PartDecoder } from './decoded-record.ts'
import { parseExactly } from './json-value.ts'

/** A converter of the connector: its class and its options without prefix. */
export interface ConverterOptions {
  readonly className: string
  readonly options: Readonly<Record<string, string>>
}

export type ConverterKind =
  /** The bytes of both sides are compared as documents or texts. */
  | 'plain'
  /** The topic has ids of schemas; values are compared, and the rehearsal makes JSON without schemas. */
  | 'avro'
  | 'unsupported'

export function kindOfConverter({ className, options }: ConverterOptions): ConverterKind {
  const simple = className.slice(className.lastIndexOf('.') + 1)
  if (/^Avro(Converter)?$/.test(simple)) return 'avro'
  if (/^CloudEvents(Converter)?$/.test(simple)) {
    const types = [options['serializer.type'] ?? 'json', options['data.serializer.type'] ?? 'json']
    return types.every((type) => type.trim().toLowerCase() === 'json') ? 'plain' : 'unsupported'
  }
  // Protobuf and JSON Schema: with a registry, or with ids.
  return /Protobuf|JsonSchema|ExtJson/i.test(simple) ? 'unsupported' : 'plain'
}

/** Reads one side of the records of the topics, and of the rehearsal. */
export class PartReader {
  readonly isAvro: boolean
  readonly #plain = new PartDecoder()
  readonly #avro: AvroReader | null
  #unreadable: Error | null = null

  constructor(converter: ConverterOptions, side: 'key' | 'value') {
    this.isAvro = kindOfConverter(converter) === 'avro'
    this.#avro = this.isAvro
      ? new AvroReader(converter.options, side === 'key', (_id, error) => (this.#unreadable = error))
      : null
  }

  /** Loads the schemas that values of topics need. It only reads: nothing is registered. */
  async prepare(values: readonly (Buffer | null)[], signal: AbortSignal): Promise<void> {
    await this.#avro?.loadSchemas(values, signal)
    if (this.#unreadable !== null) throw this.#unreadable
  }

  theirs(bytes: Buffer | null): DecodedPart | null {
    if (this.#avro === null || bytes === null) return this.#plain.decode(bytes)
    const text = this.#avro.read(bytes)
    return text === null ? this.#plain.decode(bytes) : { schema: null, payload: parseExactly(text) }
  }

  ours(bytes: Buffer | null): DecodedPart | null {
    return this.#plain.decode(bytes)
  }
}
