import { present } from '@tributary/support'
import type { FieldSchema, WireValues } from './message-types.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** The fields of one message. */
export interface MessageSchema {
  readonly fields: readonly FieldSchema[]
  /** The first version with compact lengths and tagged fields; null: none. */
  readonly flexibleFrom: number | null
}

type Scalar = WireValues[keyof WireValues]
type WireValue = Scalar | null | WireStruct | readonly WireValue[]
interface WireStruct {
  [name: string]: WireValue
}

/** A struct in one version: the fields that it has, and those that only have defaults. */
interface Layout {
  readonly isFlexible: boolean
  readonly plain: readonly LayoutField[]
  /** By their tags. */
  readonly tagged: readonly LayoutField[]
  readonly absent: readonly LayoutField[]
}

interface LayoutField {
  readonly schema: FieldSchema
  readonly isNullable: boolean
  readonly layout: Layout | null
  readonly standard: WireValue
  /** Bytes that a value has at least; of an array, each element. */
  readonly bytesMin: number
}

/**
 * Reads and writes messages by their schemas. Bytes beyond the last field are an error, as in Kafka; unknown tagged
 * fields are skipped.
 */
export class MessageCodec {
  readonly #layouts = new Map<MessageSchema, Map<number, Layout>>()

  /** Throws RangeError for bytes that are no such message. The result has the type of the schema (message-types.ts). */
  read(schema: MessageSchema, version: number, reader: WireReader): unknown {
    const value = readStruct(this.#layout(schema, version), reader)
    if (reader.remaining > 0) throw new RangeError(`${reader.remaining} bytes after the last field`)
    return value
  }

  /** `value` has the type of the schema (message-types.ts). */
  write(schema: MessageSchema, version: number, value: object): readonly Buffer[] {
    const writer = new WireWriter()
    writeStruct(this.#layout(schema, version), value as WireStruct, writer)
    return writer.chunks()
  }

  #layout(schema: MessageSchema, version: number): Layout {
    let versions = this.#layouts.get(schema)
    if (versions === undefined) this.#layouts.set(schema, (versions = new Map<number, Layout>()))
    let layout = versions.get(version)
    if (layout === undefined) versions.set(version, (layout = layoutOf(schema.fields, version, schema.flexibleFrom)))
    return layout
  }
}

function layoutOf(fields: readonly FieldSchema[], version: number, flexibleFrom: number | null): Layout {
  const isFlexible = flexibleFrom !== null && version >= flexibleFrom
  const plain: LayoutField[] = []
  const tagged: LayoutField[] = []
  const absent: LayoutField[] = []
  for (const schema of fields) {
    const layout = schema.fields === undefined ? null : layoutOf(schema.fields, version, flexibleFrom)
    const isNullable = schema.nullableFrom !== undefined && version >= schema.nullableFrom
    const bytesMin = valueBytesMin(schema.type, layout, isFlexible)
    const field = { schema, isNullable, layout, standard: standardValue(schema, layout), bytesMin }
    if (version < schema.from || version > (schema.to ?? Infinity)) absent.push(field)
    else if (schema.taggedFrom !== undefined && version >= schema.taggedFrom) tagged.push(field)
    else plain.push(field)
  }
  tagged.sort((a, b) => (a.schema.tag ?? 0) - (b.schema.tag ?? 0))
  return { isFlexible, plain, tagged, absent }
}

function valueBytesMin(type: FieldSchema['type'], layout: Layout | null, isFlexible: boolean): number {
  switch (type) {
    case 'struct':
      return layout === null ? 0 : structBytesMin(layout)
    case 'int16':
    case 'uint16':
      return 2
    case 'int32':
      return 4
    case 'int64':
    case 'float64':
      return 8
    case 'uuid':
      return 16
    case 'string':
      return isFlexible ? 1 : 2
    case 'bytes':
    case 'records':
      return isFlexible ? 1 : 4
    default:
      return 1
  }
}

function structBytesMin({ plain, isFlexible }: Layout): number {
  const arrayBytes = isFlexible ? 1 : 4
  const fields = plain.map(({ schema, bytesMin }) => (schema.array === true ? arrayBytes : bytesMin))
  return fields.reduce((sum, bytes) => sum + bytes, isFlexible ? 1 : 0)
}

const NO_BYTES = Buffer.alloc(0)
export const ZERO_UUID: string = Buffer.alloc(16).toString('base64url')

function standardValue(schema: FieldSchema, layout: Layout | null): WireValue {
  if (schema.default !== undefined) return schema.default
  if (schema.array === true) return []
  switch (schema.type) {
    case 'struct':
      return layout === null ? {} : standardStruct(layout)
    case 'int64':
      return 0n
    case 'bool':
      return false
    case 'string':
      return ''
    case 'uuid':
      return ZERO_UUID
    case 'bytes':
    case 'records':
      return NO_BYTES
    default:
      return 0
  }
}

function standardStruct({ plain, tagged, absent }: Layout): WireStruct {
  const fields = [...plain, ...tagged, ...absent]
  return Object.fromEntries(fields.map(({ schema, standard }) => [schema.name, standard]))
}

function readStruct(layout: Layout, reader: WireReader): WireStruct {
  const struct: WireStruct = {}
  for (const field of layout.plain) struct[field.schema.name] = readField(field, layout.isFlexible, reader)
  for (const { schema, standard } of layout.tagged) struct[schema.name] = standard
  for (const { schema, standard } of layout.absent) struct[schema.name] = standard
  if (layout.isFlexible) readTags(layout, struct, reader)
  return struct
}

function readTags(layout: Layout, struct: WireStruct, reader: WireReader): void {
  const count = reader.unsignedVarint()
  for (let i = 0; i < count; i++) {
    const tag = reader.unsignedVarint()
    const value = new WireReader(reader.slice(reader.unsignedVarint()))
    const field = layout.tagged.find(({ schema }) => schema.tag === tag)
    if (field !== undefined) struct[field.schema.name] = readField(field, true, value)
  }
}

function readField(field: LayoutField, isFlexible: boolean, reader: WireReader): WireValue {
  if (field.schema.array !== true) return readSingle(field, isFlexible, reader)
  const count = isFlexible ? reader.unsignedVarint() - 1 : reader.int32()
  if (count < 0) return nullOf(field)
  // A claimed count must not allocate more than was sent.
  if (count * Math.max(1, field.bytesMin) > reader.remaining) {
    throw new RangeError(`${count} elements in ${reader.remaining} bytes`)
  }
  const element = { ...field, isNullable: false }
  const elements: WireValue[] = []
  for (let i = 0; i < count; i++) elements.push(readSingle(element, isFlexible, reader))
  return elements
}

function nullOf({ schema, isNullable }: LayoutField): null {
  if (!isNullable) throw new RangeError(`null in ${schema.name}`)
  return null
}

function readSingle(field: LayoutField, isFlexible: boolean, reader: WireReader): WireValue {
  switch (field.schema.type) {
    case 'struct':
      return readStruct(present(field.layout, 'the layout of a struct'), reader)
    case 'bool':
      return reader.int8() !== 0
    case 'string': {
      const length = isFlexible ? reader.unsignedVarint() - 1 : reader.int16()
      return length < 0 ? nullOf(field) : reader.slice(length).toString('utf8')
    }
    case 'bytes':
    case 'records': {
      const length = isFlexible ? reader.unsignedVarint() - 1 : reader.int32()
      return length < 0 ? nullOf(field) : reader.slice(length)
    }
    default:
      return reader[field.schema.type]()
  }
}

function writeStruct(layout: Layout, struct: WireStruct, writer: WireWriter): void {
  for (const field of layout.plain) {
    const value = struct[field.schema.name]
    writeField(field, layout.isFlexible, value === undefined ? field.standard : value, writer)
  }
  if (!layout.isFlexible) return
  const tags = layout.tagged.filter(({ schema, standard }) => {
    const value = struct[schema.name]
    return value !== undefined && !isStandard(value, standard)
  })
  writer.unsignedVarint(tags.length)
  for (const field of tags) {
    const inner = new WireWriter()
    writeField(field, true, struct[field.schema.name] ?? null, inner)
    const chunks = inner.chunks()
    writer.unsignedVarint(field.schema.tag ?? 0)
    writer.unsignedVarint(chunks.reduce((sum, { length }) => sum + length, 0))
    for (const chunk of chunks) writer.bytes(chunk)
  }
}

/** Kafka omits tagged fields with their default. */
function isStandard(value: WireValue, standard: WireValue): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === standard
}

function writeField(field: LayoutField, isFlexible: boolean, value: WireValue, writer: WireWriter): void {
  if (field.schema.array !== true) {
    writeSingle(field, isFlexible, value, writer)
    return
  }
  const elements = value as readonly WireValue[] | null
  if (isFlexible) writer.unsignedVarint(elements === null ? 0 : elements.length + 1)
  else writer.int32(elements === null ? -1 : elements.length)
  for (const element of elements ?? []) writeSingle(field, isFlexible, element, writer)
}

// The type of each value is that of its schema: handlers are typed by the same table.
function writeSingle(field: LayoutField, isFlexible: boolean, value: WireValue, writer: WireWriter): void {
  switch (field.schema.type) {
    case 'struct':
      writeStruct(present(field.layout, 'the layout of a struct'), value as WireStruct, writer)
      break
    case 'bool':
      writer.int8(value === true ? 1 : 0)
      break
    case 'string':
      writeBytes(value === null ? null : Buffer.from(value as string), isFlexible, 'int16', writer)
      break
    case 'bytes':
    case 'records':
      writeBytes(value as Buffer | null, isFlexible, 'int32', writer)
      break
    case 'uuid':
      writer.bytes(Buffer.from(value as string, 'base64url'))
      break
    case 'int64':
      writer.int64(value as bigint)
      break
    default:
      writer[field.schema.type](value as number)
  }
}

function writeBytes(bytes: Buffer | null, isFlexible: boolean, length: 'int16' | 'int32', writer: WireWriter): void {
  if (isFlexible) writer.unsignedVarint(bytes === null ? 0 : bytes.length + 1)
  else writer[length](bytes === null ? -1 : bytes.length)
  if (bytes !== null) writer.bytes(bytes)
}
