import type {
  ConnectValue,
  Converter,
  ConverterPlugin,
  EncodedHeader,
  Schema,
  SchemaCompatibility,
  ValueEncoder,
} from '@tributary/connect-api'
import { present, systemClock, unreachable, type ByteWriter, type Clock, type CodedError } from '@tributary/support'
import { createHash } from 'node:crypto'
import { converterErrors } from '../errors.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import { isRefusal } from '../registry/forecast-of.ts'
import { type IdPlace, registrySettings, type RegistrySettings } from '../registry/registry-options.ts'
import type { RegisteredSchema, RegistrySubject } from '../registry/schema-registry.ts'
import { CONVERTERS_VERSION } from '../version.ts'
import { compileAvro } from './avro-compiler.ts'
import { recordName } from './avro-names.ts'
import { type AvroOptions, parseAvroOptions } from './avro-options.ts'
import { avroSchemaParts } from './avro-parts.ts'
import { avroSchemaText } from './avro-schema-text.ts'

/** The compiled work for one Connect schema. */
interface AvroSchema {
  readonly write: ValueWriter
  /** Encoders by topic, for topics whose schema id is known. */
  readonly encoders: Map<string, ValueEncoder>
}

/**
 * Avro with a schema registry: a value is the id of its schema, followed by Avro's binary encoding. Schemas, bytes and
 * options are those of the Java converters of Confluent and Apicurio.
 *
 * `register` gets the id of a schema once per subject. Encoding afterwards needs no registry, so that an unreachable
 * registry does not stop records whose schemas are known.
 */
export class AvroConverter implements Converter {
  readonly #clock: Clock
  #options: AvroOptions = parseAvroOptions({})
  #settings: RegistrySettings | null = null
  #role: 'key' | 'value' = 'value'
  #noSchema: ValueEncoder = new NoSchemaEncoder('value')
  #schemas = new WeakMap<Schema, AvroSchema>()
  /**
   * Ids by subject and schema text: a second object for the same schema (recompiled table, transformation) needs no
   * request.
   */
  readonly #ids = new Map<string, bigint>()

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  configure(options: Readonly<Record<string, string>>, isKey: boolean): void {
    this.#options = parseAvroOptions(options)
    this.#settings = registrySettings(options, {
      isKey,
      prefix: isKey ? 'key.converter.' : 'value.converter.',
      clock: this.#clock,
    })
    this.#role = isKey ? 'key' : 'value'
    this.#noSchema = new NoSchemaEncoder(this.#role)
    this.#schemas = new WeakMap()
    this.#ids.clear()
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#registrySettings.registry.check(signal)
  }

  isRegistered(schema: Schema | null, topic: string): boolean {
    // Does not compile the schema: a schema that cannot be compiled is an error of its registration.
    return schema === null || this.#schemas.get(schema)?.encoders.has(topic) === true
  }

  /** The subject: topics may share one, and its versions must be registered in the order of the records. */
  registrationSequence(schema: Schema | null, topic: string): string {
    return schema === null ? '' : subjectText(this.#subjectOf(schema, topic))
  }

  async register(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    if (schema === null) return
    const avro = this.#avroOf(schema)
    const { registry, idPlace } = this.#registrySettings
    const subject = this.#subjectOf(schema, topic)
    const registered = this.#registered(schema)
    const key = idKey(subject, registered.text)
    const id = this.#ids.get(key) ?? (await registry.idOf(subject, registered, signal))
    this.#ids.delete(key)
    this.#ids.set(key, id)
    const [oldest] = this.#ids.keys()
    if (this.#ids.size > IDS_MAX && oldest !== undefined) this.#ids.delete(oldest)
    avro.encoders.set(topic, new AvroEncoder(idPlace, id, avro.write))
  }

  warnings(): readonly CodedError[] {
    return this.#registrySettings.registry.warnings()
  }

  pendingFailure(): Error | null {
    return this.#registrySettings.registry.pendingFailure(this.#clock.now())
  }

  async checkCompatibility(
    schema: Schema | null,
    topic: string,
    signal: AbortSignal,
  ): Promise<SchemaCompatibility | null> {
    if (schema === null) return null
    try {
      return await this.#forecast(schema, topic, signal)
    } catch (error) {
      if (isRefusal(error)) return { isAccepted: false, text: error.message }
      throw error
    }
  }

  async #forecast(schema: Schema, topic: string, signal: AbortSignal): Promise<SchemaCompatibility | null> {
    const subject = this.#subjectOf(schema, topic)
    const registered = this.#registered(schema)
    if (this.#ids.has(idKey(subject, registered.text))) return null
    const forecast = await this.#registrySettings.registry.forecast(subject, registered, signal)
    switch (forecast.tag) {
      case 'expected':
        return null
      case 'compatible': {
        const { subject: name, version, level } = forecast
        return { isAccepted: true, text: `subject ${name}: compatible with version ${version} under ${level}` }
      }
      case 'refused':
        return { isAccepted: false, text: forecast.error.message }
      default:
        return unreachable(forecast)
    }
  }

  get #registrySettings(): RegistrySettings {
    return present(this.#settings, 'the converter is configured')
  }

  #subjectOf(schema: Schema, topic: string): RegistrySubject {
    return this.#registrySettings.subjects(topic, recordName(this.#written(schema), this.#options.scrubInvalidNames))
  }

  /**
   * The schema as it is registered and written: Apicurio's serializer writes a struct that may be null as a plain
   * record.
   */
  #written(schema: Schema): Schema {
    const { hasPlainRecords } = this.#registrySettings.form
    return hasPlainRecords && schema.type === 'struct' && schema.isOptional ? schema.with({ optional: false }) : schema
  }

  #registered(schema: Schema): RegisteredSchema {
    const written = this.#written(schema)
    const parts = this.#registrySettings.form.isSplit ? avroSchemaParts(written, this.#options) : null
    return { text: avroSchemaText(written, this.#options), parts }
  }

  encoderFor(schema: Schema | null, topic: string): ValueEncoder {
    if (schema === null) return this.#noSchema
    return present(this.#avroOf(schema).encoders.get(topic), 'the schema is registered')
  }

  #avroOf(schema: Schema): AvroSchema {
    const known = this.#schemas.get(schema)
    if (known !== undefined) return known
    const avro = {
      write: compileAvro(this.#written(schema), this.#role, this.#options),
      encoders: new Map<string, ValueEncoder>(),
    }
    this.#schemas.set(schema, avro)
    return avro
  }
}

function subjectText({ group, name }: RegistrySubject): string {
  return `${group ?? ''}\n${name}`
}

/** Contains a hash of the text: schemas are kilobytes long, and there may be thousands of tables. */
function idKey(subject: RegistrySubject, text: string): string {
  return `${subjectText(subject)}\n${createHash('sha256').update(text).digest('base64')}`
}

/** Less than 200 bytes each. For a schema whose entry was evicted, the registry returns the same id again. */
const IDS_MAX = 20_000

class AvroEncoder implements ValueEncoder {
  // The id is not the prefix: it is too short to be worth a back-reference in a compressed batch.
  readonly prefix: Uint8Array = NO_BYTES
  readonly headers: readonly EncodedHeader[]
  readonly #id: Uint8Array
  readonly #write: ValueWriter

  constructor(place: IdPlace, id: bigint, write: ValueWriter) {
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

/** The magic byte 0, then the id, big-endian. */
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
