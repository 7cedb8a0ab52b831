import { Struct, type ConnectValue, type ValueEncoder } from '@tributary/connect-api'
import { ByteWriter, present } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { writeBase64Range } from '../json/base64.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import type { EventAttributes } from './event-attributes.ts'
import { textOf } from './event-attributes.ts'
import type { EventSchemas } from './event-schemas.ts'

/** What the encoders of all forms know about the events of an envelope. */
export interface EventParts {
  readonly schemas: EventSchemas
  readonly attributes: EventAttributes
}

/** The base: takes a record of the envelope apart. Null is Kafka's null. */
abstract class EventEncoder implements ValueEncoder {
  readonly prefix: Uint8Array = new Uint8Array(0)
  protected readonly parts: EventParts

  constructor(parts: EventParts) {
    this.parts = parts
  }

  write(value: ConnectValue, out: ByteWriter): boolean {
    if (value === null) return false
    const source = value instanceof Struct ? value.get('source') : null
    if (!(value instanceof Struct) || !(source instanceof Struct))
      throw converterErrors.CLOUD_EVENT_SOURCE({ schema: this.parts.schemas.source.name ?? '(none)' })
    this.writeEvent(value, source, out)
    return true
  }

  protected abstract writeEvent(record: Struct, source: Struct, out: ByteWriter): void

  /** Rows stay in the form that they have, so that their values are written from the bytes of the database. */
  protected dataOf(record: Struct): Struct {
    const { data, dataFields } = this.parts.schemas
    return new Struct(
      data,
      dataFields.map((index) => record.at(index)),
    )
  }
}

/** The event and its data in JSON. */
export class JsonEventEncoder extends EventEncoder {
  readonly #writeAttributes: ValueWriter
  readonly #dataEncoder: ValueEncoder

  constructor(parts: EventParts, writeAttributes: ValueWriter, dataEncoder: ValueEncoder) {
    super(parts)
    this.#writeAttributes = writeAttributes
    this.#dataEncoder = dataEncoder
  }

  protected writeEvent(record: Struct, source: Struct, out: ByteWriter): void {
    const { attributes, schemas } = this.parts
    this.#writeAttributes(new Struct(schemas.attributes, attributes.of(record, source, null)), out)
    openData(out)
    out.write(this.#dataEncoder.prefix)
    this.#dataEncoder.write(this.dataOf(record), out)
    out.byte(CLOSE_BRACE)
  }
}

/** The data in Avro, and where consumers find its schema. */
export interface AvroData {
  readonly encoder: ValueEncoder
  /** The address that the id of the schema is appended to. */
  readonly schemaAddress: string
}

/** Writes the data as Avro into a buffer of its own, which every record uses again. */
class AvroDataWriter {
  readonly #data: AvroData
  readonly #out: ByteWriter = new ByteWriter(1024)
  #address: string | null = null

  constructor(data: AvroData) {
    this.#data = data
  }

  /** Returns the buffer with the data. */
  fill(data: Struct): ByteWriter {
    const out = this.#out
    out.reset()
    this.#data.encoder.write(data, out)
    return out
  }

  /** The address of the schema, whose id follows the first byte of the data. */
  get address(): string {
    this.#address ??= `${this.#data.schemaAddress}${this.#out.bytes.readInt32BE(1)}`
    return this.#address
  }
}

/** The event in JSON, its data in Avro: base64. */
export class JsonEventOfAvroEncoder extends EventEncoder {
  readonly #writeAttributes: ValueWriter
  readonly #data: AvroDataWriter

  constructor(parts: EventParts, writeAttributes: ValueWriter, data: AvroData) {
    super(parts)
    this.#writeAttributes = writeAttributes
    this.#data = new AvroDataWriter(data)
  }

  protected writeEvent(record: Struct, source: Struct, out: ByteWriter): void {
    const data = this.#data.fill(this.dataOf(record))
    const { attributes, schemas } = this.parts
    this.#writeAttributes(new Struct(schemas.attributes, attributes.of(record, source, this.#data.address)), out)
    openData(out)
    out.byte(QUOTE)
    writeBase64Range(data.bytes, 0, data.position, out)
    out.byte(QUOTE)
    out.byte(CLOSE_BRACE)
  }
}

/** The event and its data in Avro. */
export class AvroEventEncoder extends EventEncoder {
  readonly #data: AvroDataWriter
  readonly #event: ValueEncoder
  readonly #schema: Struct['schema']
  readonly #nameOf: (source: Struct) => string
  #lastSource: string | null = null

  /** `nameOf`: the name that the schema of the event must have for the record. */
  constructor(
    parts: EventParts,
    data: AvroData,
    event: {
      readonly encoder: ValueEncoder
      readonly schema: Struct['schema']
      readonly nameOf: (source: Struct) => string
    },
  ) {
    super(parts)
    this.#data = new AvroDataWriter(data)
    this.#event = event.encoder
    this.#schema = event.schema
    this.#nameOf = event.nameOf
  }

  protected writeEvent(record: Struct, source: Struct, out: ByteWriter): void {
    this.#checkName(source)
    const data = this.#data.fill(this.dataOf(record))
    const values = this.parts.attributes.of(record, source, this.#data.address)
    values.push(data.bytes.subarray(0, data.position))
    out.write(this.#event.prefix)
    this.#event.write(new Struct(this.#schema, values), out)
  }

  /** The schema was named before there was a record, after the envelope; Debezium names it after the source block. */
  #checkName(source: Struct): void {
    const key = `${textOf(source.get('name'))}.${textOf(source.get('db'))}`
    if (key === this.#lastSource) return
    const expected = this.#nameOf(source)
    const registered = present(this.#schema.name, 'the event has a name')
    if (expected !== registered)
      throw converterErrors.CLOUD_EVENT_NAME({ source: key, expected, registered, schema: 'its envelope' })
    this.#lastSource = key
  }
}

/** Replaces the closing brace of the attributes. */
function openData(out: ByteWriter): void {
  out.position -= 1
  out.ascii(',"data":')
}

const QUOTE = 0x22
const CLOSE_BRACE = 0x7d
