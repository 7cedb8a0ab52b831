import type { Schema } from '@tributary/connect-api'
import { type ConnectValue, type Int64, type NameAdjuster, Struct } from '@tributary/connect-api'
import { type JsonNode, parseJson } from './json-document.ts'
import { nameCharacters, type Shape, schemaOfShape, ShapeError, ShapeFinder, shapeKey } from './json-shape.ts'

/** A JSON document as a value with a schema. */
export interface ExpandedPayload {
  readonly schema: Schema
  readonly value: ConnectValue
}

/** Expands JSON texts: infers a schema, one object per shape of documents, and makes a value of it. */
export class JsonPayload {
  readonly #finder: ShapeFinder
  readonly #name: string
  #schemas = new Map<string, Schema>()
  #characters = 0

  /** `name`: of the schema of the documents. `keepsNulls`: null members become fields of type bytes. */
  constructor(name: string, adjust: NameAdjuster, keepsNulls: boolean) {
    this.#finder = new ShapeFinder(adjust, keepsNulls)
    this.#name = name
  }

  /** Returns the reason as a text if the document cannot be expanded. */
  expand(text: string): ExpandedPayload | string {
    if (!text.startsWith('{') && !text.startsWith('[')) return 'It does not start with { or [.'
    try {
      const node = parseJson(text)
      const shape = this.#finder.find(node)
      if (shape === null || typeof shape === 'string' || shape.tag === 'array') return 'It is an array, not an object.'
      const schema = this.#schemaOf(shape)
      return { schema, value: valueOf(node, shape, schema) }
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof ShapeError) return `It has no schema: ${error.message}.`
      throw error
    }
  }

  /** One object per shape, so that converters find their compiled work and registries their ids. */
  #schemaOf(shape: Shape): Schema {
    const key = shapeKey(shape)
    const known = this.#schemas.get(key)
    if (known !== undefined) return known
    const characters = key.length + nameCharacters(shape, this.#name.length)
    if (characters > SCHEMA_CHARACTERS_MAX) throw new ShapeError('the names of its schema are too long')
    this.#characters += characters
    if (this.#schemas.size >= SCHEMAS_MAX || this.#characters > CHARACTERS_MAX) {
      this.#schemas = new Map()
      this.#characters = characters
    }
    const schema = schemaOfShape(shape, this.#name)
    this.#schemas.set(key, schema)
    return schema
  }
}

/** Optional members multiply shapes. */
const SCHEMAS_MAX = 1_000

/** A struct is named after its path, so that a document with many levels has names of quadratic size. */
const SCHEMA_CHARACTERS_MAX = 1_000_000

/** Of all schemas; most have a few hundred. */
const CHARACTERS_MAX = 16_000_000

function valueOf(node: JsonNode | undefined, shape: Shape, schema: Schema): ConnectValue {
  if (node === null || node === undefined) {
    if (!schema.isOptional) throw new ShapeError('an array of different objects has a null')
    return null
  }
  if (typeof node === 'bigint') return int64Of(node)
  if (typeof node !== 'object') return node
  if (typeof shape === 'string') throw new ShapeError('an array has items of different types')
  if (node instanceof Map) {
    if (shape.tag !== 'struct') throw new ShapeError('an array has items of different types')
    const members = node as ReadonlyMap<string, JsonNode>
    const values = Array.from(shape.fields.values(), (field, index) =>
      // In range: the schema was made of the shape.
      valueOf(members.get(field.member), field.shape, (schema.fields[index] as Schema['fields'][number]).schema),
    )
    return new Struct(schema, values)
  }
  const items = schema.valueSchema
  if (shape.tag !== 'array' || items === null) throw new ShapeError('an array has items of different types')
  return (node as readonly JsonNode[]).map((item) => valueOf(item, shape.items, items))
}

function int64Of(value: bigint): Int64 {
  return BigInt.asIntN(54, value) === value ? Number(value) : value
}
