import type {
  Converter,
  ConverterPlugin,
  Schema,
  SchemaCompatibility,
  Struct,
  ValueEncoder,
} from '@tributary/connect-api'
import { present, systemClock, type Clock, type CodedError } from '@tributary/support'
import { AvroConverter } from '../avro/avro-converter.ts'
import { JsonConverter } from '../json/json-converter.ts'
import { parseJsonOptions } from '../json/json-options.ts'
import { compilePayload } from '../json/payload-compiler.ts'
import { CONVERTERS_VERSION } from '../version.ts'
import { type CloudEventsOptions, parseCloudEventsOptions } from './cloud-events-options.ts'
import { EventAttributes, textOf } from './event-attributes.ts'
import {
  type AvroData,
  AvroEventEncoder,
  type EventParts,
  JsonEventEncoder,
  JsonEventOfAvroEncoder,
} from './event-encoders.ts'
import { eventSchemas, type EventSchemas, isEnvelope, wholeEvent } from './event-schemas.ts'

/** The compiled work for one envelope. */
interface KnownEnvelope {
  readonly schemas: EventSchemas
  /** The event in Avro. */
  readonly event: Schema
  /** By topic; of JSON alone under the empty name. */
  readonly encoders: Map<string, ValueEncoder>
}

/**
 * Debezium's CloudEventsConverter in its structured mode: a record of a row change becomes an event with attributes and
 * the row before and after, in JSON or Avro. All other records become Kafka's null, as in Debezium: keys, too.
 */
export class CloudEventsConverter implements Converter {
  readonly #clock: Clock
  #options: CloudEventsOptions = parseCloudEventsOptions({})
  #avro: AvroConverter | null = null
  #json = new JsonConverter()
  #envelopes = new WeakMap<Schema, KnownEnvelope>()

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  configure(options: Readonly<Record<string, string>>, _isKey: boolean): void {
    this.#options = parseCloudEventsOptions(options)
    this.#envelopes = new WeakMap()
    this.#json = new JsonConverter()
    this.#json.configure(this.#options.json, false)
    this.#avro = this.#options.data === 'avro' ? new AvroConverter(this.#clock, 'avro.') : null
    this.#avro?.configure(this.#options.avro, false)
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#avro?.check(signal)
  }

  isRegistered(schema: Schema | null, topic: string): boolean {
    return this.#registrations(schema, topic).every(([part, name]) => this.#avro?.isRegistered(part, name) !== false)
  }

  async register(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    for (const [part, name] of this.#registrations(schema, topic)) await this.#avro?.register(part, name, signal)
  }

  registrationSequence(): string {
    // Topics may share subjects, and each registration is of two of them.
    return ''
  }

  pendingFailure(): Error | null {
    return this.#avro?.pendingFailure() ?? null
  }

  warnings(): readonly CodedError[] {
    return this.#avro?.warnings() ?? []
  }

  async checkCompatibility(
    schema: Schema | null,
    topic: string,
    signal: AbortSignal,
  ): Promise<SchemaCompatibility | null> {
    let accepted: SchemaCompatibility | null = null
    for (const [part, name] of this.#registrations(schema, topic)) {
      const outcome = (await this.#avro?.checkCompatibility(part, name, signal)) ?? null
      if (outcome?.isAccepted === false) return outcome
      accepted = outcome ?? accepted
    }
    return accepted
  }

  /** The schemas to register in Avro, with the topics that name their subjects, in the order of Debezium. */
  #registrations(schema: Schema | null, topic: string): readonly (readonly [schema: Schema, topic: string])[] {
    if (this.#avro === null || !isEnvelope(schema)) return []
    const { schemas, event } = this.#known(schema)
    if (this.#options.event === 'json') return [[schemas.data, topic]]
    return [
      [schemas.data, `${topic}-data`],
      [event, topic],
    ]
  }

  encoderFor(schema: Schema | null, topic: string): ValueEncoder {
    if (!isEnvelope(schema)) return NO_EVENT
    const known = this.#known(schema)
    const key = this.#avro === null ? '' : topic
    const encoder = known.encoders.get(key) ?? this.#encoder(known, topic)
    known.encoders.set(key, encoder)
    return encoder
  }

  #known(envelope: Schema): KnownEnvelope {
    const known = this.#envelopes.get(envelope)
    if (known !== undefined) return known
    const schemas = eventSchemas(envelope, this.#options)
    const event = wholeEvent(schemas.attributes, this.#eventName(nameAndDatabase(envelope)))
    const added = { schemas, event, encoders: new Map<string, ValueEncoder>() }
    this.#envelopes.set(envelope, added)
    return added
  }

  #eventName(nameAndDatabaseText: string): string {
    const { schemaName, adjustName } = this.#options
    return adjustName(schemaName ?? `${nameAndDatabaseText}.CloudEvents.Envelope`)
  }

  #encoder({ schemas, event }: KnownEnvelope, topic: string): ValueEncoder {
    const { data, hasExtensions, json, avro, event: form } = this.#options
    const parts: EventParts = {
      schemas,
      attributes: new EventAttributes(schemas, { contentType: `application/${data}`, hasExtensions }),
    }
    const writeAttributes = compilePayload(schemas.attributes, { lead: '', path: 'event' }, parseJsonOptions(json))
    if (this.#avro === null) return new JsonEventEncoder(parts, writeAttributes, this.#json.encoderFor(schemas.data))
    const avroData = (dataTopic: string): AvroData => ({
      encoder: present(this.#avro, 'data in Avro').encoderFor(schemas.data, dataTopic),
      schemaAddress: `${addressesOf(avro)}/schemas/ids/`,
    })
    if (form === 'json') return new JsonEventOfAvroEncoder(parts, writeAttributes, avroData(topic))
    return new AvroEventEncoder(parts, avroData(`${topic}-data`), {
      encoder: this.#avro.encoderFor(event, topic),
      schema: event,
      nameOf: (source: Struct) => this.#eventName(`${textOf(source.get('name'))}.${textOf(source.get('db'))}`),
    })
  }
}

/** Of `<logical name>.<database>.<table>.Envelope`, what precedes the table. */
function nameAndDatabase({ name }: Schema): string {
  const parts = (name ?? '').split('.')
  return parts.slice(0, -2).join('.')
}

/** The addresses of the registry, as events name them: without user and password, which Debezium would write too. */
function addressesOf(avro: Readonly<Record<string, string>>): string {
  const urls = avro['apicurio.registry.url'] ?? avro['schema.registry.url'] ?? ''
  return urls
    .split(',')
    .map((url) => url.trim().replace(/^(\w+:\/\/)[^/]*@/, '$1'))
    .join(',')
}

/** The encoder of schema changes and other records without an event. */
const NO_EVENT: ValueEncoder = { prefix: new Uint8Array(0), write: () => false }

export const cloudEventsConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'io.debezium.converters.CloudEventsConverter',
  aliases: ['cloudevents'],
  version: CONVERTERS_VERSION,
  create: () => new CloudEventsConverter(),
}
