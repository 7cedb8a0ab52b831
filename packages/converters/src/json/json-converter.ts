import type { ConnectValue, Converter, ConverterPlugin, Schema, ValueEncoder } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { CONVERTERS_VERSION } from '../version.ts'
import { parseJsonOptions, type JsonOptions } from './json-options.ts'
import { compilePayload } from './payload-compiler.ts'
import { schemaDocument } from './schema-document.ts'
import { writeSchemaless } from './schemaless-writer.ts'
import type { ValueWriter } from '../writers/value-writer.ts'

/**
 * Connect's JsonConverter. It writes the same bytes for the same values, so that consumers see no difference and keys
 * stay in their partitions. With `schemas.enable` a document is `{"schema":…,"payload":…}`: the schema half is built
 * once per schema and is the encoder's prefix; `write` appends the payload and the closing brace.
 */
export class JsonConverter implements Converter {
  #options: JsonOptions = parseJsonOptions({})
  #role = 'value'
  #encoders = new WeakMap<Schema, ValueEncoder>()
  #schemaless: ValueEncoder = new SchemalessEncoder(this.#options, this.#role)

  configure(options: Readonly<Record<string, string>>, isKey: boolean): void {
    this.#options = parseJsonOptions(options)
    this.#role = isKey ? 'key' : 'value'
    this.#encoders = new WeakMap()
    this.#schemaless = new SchemalessEncoder(this.#options, this.#role)
  }

  encoderFor(schema: Schema | null): ValueEncoder {
    if (schema === null) return this.#schemaless
    const known = this.#encoders.get(schema)
    if (known !== undefined) return known
    const encoder = new SchemaEncoder(schema, this.#options, this.#role)
    this.#encoders.set(schema, encoder)
    return encoder
  }
}

class SchemaEncoder implements ValueEncoder {
  readonly prefix: Uint8Array
  readonly #writePayload: ValueWriter
  readonly #isWrapped: boolean

  constructor(schema: Schema, options: JsonOptions, role: string) {
    this.#isWrapped = options.schemasEnabled
    this.prefix = prefixOf(options, () => schemaDocument(schema, role, options))
    this.#writePayload = compilePayload(schema, { lead: '', path: role }, options)
  }

  write(value: ConnectValue, out: ByteWriter): boolean {
    this.#writePayload(value, out)
    if (this.#isWrapped) out.byte(CLOSE_BRACE)
    return true
  }
}

class SchemalessEncoder implements ValueEncoder {
  readonly prefix: Uint8Array
  readonly #isWrapped: boolean
  readonly #role: string

  constructor(options: JsonOptions, role: string) {
    this.#isWrapped = options.schemasEnabled
    this.#role = role
    this.prefix = prefixOf(options, () => 'null')
  }

  write(value: ConnectValue, out: ByteWriter): boolean {
    // Null without a schema is Kafka's null (a tombstone). Null with a schema is the text `null`.
    if (value === null) return false
    writeSchemaless(value, this.#role, out)
    if (this.#isWrapped) out.byte(CLOSE_BRACE)
    return true
  }
}

function prefixOf(options: JsonOptions, document: () => string): Buffer {
  return Buffer.from(options.schemasEnabled ? `{"schema":${document()},"payload":` : '')
}

const CLOSE_BRACE = 0x7d

export const jsonConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'org.apache.kafka.connect.json.JsonConverter',
  version: CONVERTERS_VERSION,
  create: () => new JsonConverter(),
}
