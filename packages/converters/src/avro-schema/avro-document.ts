import { isJsonObject, itemsOf, membersOf, type JsonObject } from './json-object.ts'
import { modestJson } from './modest-json.ts'

/** A parsed Avro schema with its names resolved. Attributes that do not affect the encoding of values are omitted. */
export type AvroType =
  | { readonly tag: 'plain'; readonly type: AvroPlain }
  | { readonly tag: 'decimal'; readonly scale: number }
  | { readonly tag: 'record'; readonly name: string; readonly fields: readonly AvroField[] }
  | { readonly tag: 'enum'; readonly name: string; readonly symbols: readonly string[] }
  | { readonly tag: 'fixed'; readonly name: string; readonly size: number }
  | { readonly tag: 'array' | 'map'; readonly items: AvroType }
  | { readonly tag: 'union'; readonly branches: readonly AvroType[] }

export type AvroPlain = 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string'

export interface AvroField {
  readonly name: string
  readonly type: AvroType
}

const PLAIN: readonly AvroPlain[] = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']

/**
 * Reads an Avro schema (specification 1.12, "Schema Declaration").
 *
 * @param references schemas that declare names which the text only uses; each after those that it uses itself
 * @throws SyntaxError when the text is not an Avro schema
 */
export function parseAvroSchema(text: string, references: readonly string[] = []): AvroType {
  const document = new AvroDocument()
  for (const reference of references) document.read(modestJson(reference), '')
  return document.read(modestJson(text), '')
}

class AvroDocument {
  readonly #named = new Map<string, AvroType>()

  read(schema: unknown, namespace: string): AvroType {
    if (typeof schema === 'string') return this.#byName(schema, namespace)
    if (Array.isArray(schema)) {
      return { tag: 'union', branches: schema.map((branch: unknown) => this.read(branch, namespace)) }
    }
    if (!isJsonObject(schema)) throw new SyntaxError(`${String(schema)} is not an Avro schema`)
    return this.#declared(schema, namespace)
  }

  #byName(name: string, namespace: string): AvroType {
    const plain = PLAIN.find((each) => each === name)
    if (plain !== undefined) return { tag: 'plain', type: plain }
    const type = this.#named.get(name.includes('.') || namespace === '' ? name : `${namespace}.${name}`)
    if (type === undefined) throw new SyntaxError(`the Avro schema uses the name ${name} before it declares it`)
    return type
  }

  #declared(schema: JsonObject, namespace: string): AvroType {
    const { type, items, values, symbols, size, logicalType, scale } = schema
    if (type === 'bytes' && logicalType === 'decimal') {
      return { tag: 'decimal', scale: Number(scale ?? 0) }
    }
    switch (type) {
      case 'array':
        return { tag: 'array', items: this.read(items, namespace) }
      case 'map':
        return { tag: 'map', items: this.read(values, namespace) }
      case 'record':
        return this.#record(schema, namespace)
      case 'enum': {
        const name = fullName(schema, namespace)
        return this.#keep({ tag: 'enum', name, symbols: listOf(symbols).map(String) })
      }
      case 'fixed':
        return this.#keep({ tag: 'fixed', name: fullName(schema, namespace), size: Number(size) })
      default:
        return this.read(type, namespace)
    }
  }

  /** Registers the record's name before its fields are read: the record may contain itself. */
  #record(schema: JsonObject, namespace: string): AvroType {
    const name = fullName(schema, namespace)
    const fields: AvroField[] = []
    const record = this.#keep({ tag: 'record', name, fields })
    const inner = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : ''
    for (const field of listOf(schema['fields']).map(membersOf)) {
      fields.push({ name: String(field['name']), type: this.read(field['type'], inner) })
    }
    return record
  }

  #keep<T extends AvroType & { readonly name: string }>(type: T): T {
    this.#named.set(type.name, type)
    return type
  }
}

function fullName({ name, namespace }: JsonObject, around: string): string {
  const own = String(name)
  if (own.includes('.')) return own
  const space = typeof namespace === 'string' ? namespace : around
  return space === '' ? own : `${space}.${own}`
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return itemsOf(value)
  throw new SyntaxError('the Avro schema lacks a list of fields or symbols')
}
