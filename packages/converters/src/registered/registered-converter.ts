import type {
  ConnectValue,
  Converter,
  EncodedHeader,
  Schema,
  SchemaCompatibility,
  ValueEncoder,
} from '@tributary/connect-api'
import { present, systemClock, unreachable, type ByteWriter, type Clock, type CodedError } from '@tributary/support'
import { createHash } from 'node:crypto'
import { isRefusal } from '../registry/forecast-of.ts'
import { type IdPlace, registrySettings, type RegistrySettings } from '../registry/registry-options.ts'
import type { RegistrySubject } from '../registry/schema-registry.ts'
import type { CompiledFormat, SchemaFormat } from './schema-format.ts'

/** The compiled work for one Connect schema. */
interface KnownSchema {
  readonly compiled: CompiledFormat
  /** Encoders by topic, for topics whose schema id is known. */
  readonly encoders: Map<string, ValueEncoder>
}

/** What a format needs to know of the registry that the options of the converter name. */
export interface FormatContext {
  readonly role: 'key' | 'value'
  readonly settings: RegistrySettings
}

/** A format that a converter can be made for. */
export interface FormatDefinition {
  /** Works with Confluent's interface of registries only. */
  readonly isConfluentOnly: boolean
  /** @throws CONVERTER_OPTION for the first option of the format with an invalid value */
  configure(options: Readonly<Record<string, string>>, context: FormatContext): SchemaFormat
}

/**
 * A converter of a format with a schema registry: a value is the id of its schema, followed by what the format makes of
 * it.
 *
 * `register` gets the id of a schema once per subject. Encoding afterwards needs no registry, so that an unreachable
 * registry does not stop records whose schemas are known.
 */
export class RegisteredConverter implements Converter {
  readonly #definition: FormatDefinition
  readonly #clock: Clock
  /** What precedes the options in those of an outer converter, for messages. */
  readonly #outerPrefix: string
  #format: SchemaFormat | null = null
  #settings: RegistrySettings | null = null
  #schemas = new WeakMap<Schema, KnownSchema>()
  /**
   * Ids by subject and schema text: a second object for the same schema (recompiled table, transformation) needs no
   * request.
   */
  readonly #ids = new Map<string, bigint>()

  constructor(definition: FormatDefinition, clock: Clock = systemClock, outerPrefix = '') {
    this.#definition = definition
    this.#clock = clock
    this.#outerPrefix = outerPrefix
  }

  configure(options: Readonly<Record<string, string>>, isKey: boolean): void {
    const settings = registrySettings(options, {
      isKey,
      prefix: `${isKey ? 'key' : 'value'}.converter.${this.#outerPrefix}`,
      clock: this.#clock,
      isConfluentOnly: this.#definition.isConfluentOnly,
    })
    this.#format = this.#definition.configure(options, { role: isKey ? 'key' : 'value', settings })
    this.#settings = settings
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
    const known = this.#known(schema)
    const { registry, idPlace } = this.#registrySettings
    const subject = this.#subjectOf(schema, topic)
    const registered = this.#formatInUse.registered(schema)
    const key = idKey(subject, registered.text)
    const id = this.#ids.get(key) ?? (await registry.idOf(subject, registered, signal))
    this.#ids.delete(key)
    this.#ids.set(key, id)
    const [oldest] = this.#ids.keys()
    if (this.#ids.size > IDS_MAX && oldest !== undefined) this.#ids.delete(oldest)
    known.encoders.set(topic, new RegisteredEncoder(idPlace, id, known.compiled))
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
    const registered = this.#formatInUse.registered(schema)
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

  get #formatInUse(): SchemaFormat {
    return present(this.#format, 'the converter is configured')
  }

  #subjectOf(schema: Schema, topic: string): RegistrySubject {
    return this.#registrySettings.subjects(topic, this.#formatInUse.recordName(schema))
  }

  encoderFor(schema: Schema | null, topic: string): ValueEncoder {
    if (schema === null) return new NoSchemaEncoder(() => this.#formatInUse.noSchema())
    return present(this.#known(schema).encoders.get(topic), 'the schema is registered')
  }

  #known(schema: Schema): KnownSchema {
    const known = this.#schemas.get(schema)
    if (known !== undefined) return known
    const added = { compiled: this.#formatInUse.compile(schema), encoders: new Map<string, ValueEncoder>() }
    this.#schemas.set(schema, added)
    return added
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

class RegisteredEncoder implements ValueEncoder {
  // The id is not the prefix: it is too short to be worth a back-reference in a compressed batch.
  readonly prefix: Uint8Array = NO_BYTES
  readonly headers: readonly EncodedHeader[]
  readonly #lead: Uint8Array
  readonly #compiled: CompiledFormat
  readonly #writesNull: boolean

  constructor(place: IdPlace, id: bigint, compiled: CompiledFormat) {
    const bytes = place.tag === 'payload' ? idBytes(id, place.idBytes) : NO_BYTES
    this.#lead = Buffer.concat([bytes, compiled.lead ?? NO_BYTES])
    this.headers = place.tag === 'payload' ? NO_HEADERS : idHeaders(place, id)
    this.#compiled = compiled
    this.#writesNull = compiled.writesNull ?? false
  }

  write(value: ConnectValue, out: ByteWriter): boolean {
    if (value === null && !this.#writesNull) return false
    out.write(this.#lead)
    this.#compiled.write(value, out)
    return true
  }
}

class NoSchemaEncoder implements ValueEncoder {
  readonly prefix: Uint8Array = NO_BYTES
  readonly #error: () => Error

  constructor(error: () => Error) {
    this.#error = error
  }

  write(value: ConnectValue): boolean {
    if (value === null) return false
    throw this.#error()
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
