import type {
  ConnectValue,
  Converter,
  ConverterPlugin,
  EncodedHeader,
  Schema,
  ValueEncoder,
} from '@tributary/connect-api'
import { present, systemClock, type ByteWriter, type Clock } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import type { PayloadWriter } from '../json/value-site.ts'
import { type IdPlace, registrySettings, type RegistrySettings } from '../registry/registry-options.ts'
import { CONVERTERS_VERSION } from '../version.ts'
import { compileAvro } from './avro-compiler.ts'
import { type AvroOptions, parseAvroOptions } from './avro-options.ts'
import { avroSchemaText } from './avro-schema-text.ts'

/** What is known of one Connect schema. */
interface AvroSchema {
  readonly text: string
  readonly write: PayloadWriter
  /** By topic: the encoder of a schema whose id is known. */
  readonly encoders: Map<string, ValueEncoder>
}

/**
 * Avro with a schema registry: a value is the id of its schema and Avro's binary form. Schemas, bytes and options are those of the
 * Java converters, Confluent's and Apicurio's.
 *
 * `prepare` gets the id of a schema, once for a subject; what is encoded after it needs no registry, so that one that is away does
 * not stop records whose schemas are known.
 */
export class AvroConverter implements Converter {
  readonly #clock: Clock
  #options: AvroOptions = parseAvroOptions({})
  #settings: RegistrySettings | null = null
  #role: 'key' | 'value' = 'value'
  #noSchema: ValueEncoder = new NoSchemaEncoder('value')
  #schemas = new WeakMap<Schema, AvroSchema>()
  /** By subject and schema: another object for the same schema (a restarted task, a transformation) asks nobody. */
  readonly #ids = new Map<string, bigint>()

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  configure(options: Readonly<Record<string, string>>, isKey: boolean): void {
    this.#options = parseAvroOptions(options)
    this.#settings = registrySettings(options, isKey, this.#clock)
    this.#role = isKey ? 'key' : 'value'
    this.#noSchema = new NoSchemaEncoder(this.#role)
    this.#schemas = new WeakMap()
    this.#ids.clear()
  }

  check(signal: AbortSignal): Promise<void> {
    return present(this.#settings, 'the converter is configured').registry.check(signal)
  }

  isPrepared(schema: Schema | null, topic: string): boolean {
    // Without compiling it: what cannot be compiled is told when its turn comes.
    return schema === null || this.#schemas.get(schema)?.encoders.has(topic) === true
  }

  async prepare(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    if (schema === null) return
    const avro = this.#avroOf(schema)
    const { registry, subjects, idPlace } = present(this.#settings, 'the converter is configured')
    const subject = subjects(topic, schema.name)
    const key = `${subject.group ?? ''}\n${subject.name}\n${avro.text}`
    const id = this.#ids.get(key) ?? (await registry.idOf(subject, avro.text, signal))
    this.#ids.delete(key)
    this.#ids.set(key, id)
    const [oldest] = this.#ids.keys()
    if (this.#ids.size > IDS_MAX && oldest !== undefined) this.#ids.delete(oldest)
    avro.encoders.set(topic, new AvroEncoder(idPlace, id, avro.write))
  }

  encoderFor(schema: Schema | null, topic: string): ValueEncoder {
    if (schema === null) return this.#noSchema
    return present(this.#avroOf(schema).encoders.get(topic), 'the schema was prepared')
  }

  #avroOf(schema: Schema): AvroSchema {
    const known = this.#schemas.get(schema)
    if (known !== undefined) return known
    const avro = {
      text: avroSchemaText(schema, this.#options),
      write: compileAvro(schema, this.#role, this.#options),
      encoders: new Map<string, ValueEncoder>(),
    }
    this.#schemas.set(schema, avro)
    return avro
  }
}

/** With the text of a table's schema, 3 KB each. */
const IDS_MAX = 10_000

class AvroEncoder implements ValueEncoder {
  // The id is shorter than what a batch gains by referring back to it.
  readonly prefix: Uint8Array = NO_BYTES
  readonly headers: readonly EncodedHeader[]
  readonly #id: Uint8Array
  readonly #write: PayloadWriter

  constructor(place: IdPlace, id: bigint, write: PayloadWriter) {
    this.#id = place.tag === 'payload' ? idBytes(id, place.idBytes) : NO_BYTES
    this.headers = place.tag === 'payload' ? NO_HEADERS : idHeaders(place, id)
    this.#write = write
  }

  write(value: ConnectValue, out: ByteWriter): boolean {
    if (value === null) return false
    out.write(this.#id)
    this.#write(value, out)
    return true
  }
}

class NoSchemaEncoder implements ValueEncoder {
  readonly prefix: Uint8Array = NO_BYTES
  readonly #role: string

  constructor(role: string) {
    this.#role = role
  }

  write(value: ConnectValue): boolean {
    if (value === null) return false
    throw converterErrors.AVRO_NO_SCHEMA({ role: this.#role })
  }
}

const NO_BYTES = new Uint8Array(0)
const NO_HEADERS: readonly EncodedHeader[] = []

/** A zero byte, which says that an id follows, and the id: big-endian. */
function idBytes(id: bigint, count: 4 | 8): Uint8Array {
  const bytes = Buffer.alloc(1 + count)
  if (count === 8) bytes.writeBigInt64BE(id, 1)
  else bytes.writeInt32BE(Number(id), 1)
  return bytes
}

function idHeaders({ name, encodingName }: Extract<IdPlace, { tag: 'header' }>, id: bigint): readonly EncodedHeader[] {
  const value = Buffer.alloc(8)
  value.writeBigInt64BE(id)
  return [
    { key: Buffer.from(name), value },
    { key: Buffer.from(encodingName), value: Buffer.from('BINARY') },
  ]
}

const create = (): Converter => new AvroConverter()

export const confluentAvroConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'io.confluent.connect.avro.AvroConverter',
  aliases: ['avro'],
  version: CONVERTERS_VERSION,
  create,
}

export const apicurioAvroConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'io.apicurio.registry.utils.converter.AvroConverter',
  version: CONVERTERS_VERSION,
  create,
}
