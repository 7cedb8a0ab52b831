import { type NameAdjuster, Schema, Schemas } from '@tributary/connect-api'
import type { JsonNode } from './json-document.ts'

/** The type of a JSON value, without names of schemas. Null: nothing is known (null, an empty array). */
export type Shape = ScalarShape | ArrayShape | StructShape

type ScalarShape = 'string' | 'boolean' | 'int32' | 'int64' | 'double' | 'bytes'

interface ArrayShape {
  readonly tag: 'array'
  readonly items: Shape
}

interface StructShape {
  readonly tag: 'struct'
  /** By adjusted name. `member`: the name in the document. */
  readonly fields: ReadonlyMap<string, FieldShape>
  readonly isOptional: boolean
}

export interface FieldShape {
  readonly member: string
  readonly shape: Shape
}

/** The document has no schema. The message is the reason. */
export class ShapeError extends Error {
  override readonly name: string = 'ShapeError'
}

/**
 * Finds the shape of a document: scalars are optional, objects are structs, arrays have items of one shape. Objects in
 * an array may have different members; the shape of the items has all of them.
 *
 * @throws ShapeError for an array whose items do not have one shape, and for an integer beyond 64 bits
 */
export class ShapeFinder {
  readonly #adjust: NameAdjuster
  readonly #keepsNulls: boolean

  constructor(adjust: NameAdjuster, keepsNulls: boolean) {
    this.#adjust = adjust
    this.#keepsNulls = keepsNulls
  }

  find(node: JsonNode): Shape | null {
    if (node === null) return this.#keepsNulls ? 'bytes' : null
    if (typeof node === 'string') return 'string'
    if (typeof node === 'boolean') return 'boolean'
    if (typeof node === 'number') return 'double'
    if (typeof node === 'bigint') return integerShape(node)
    return node instanceof Map ? this.#struct(node) : this.#array(node as readonly JsonNode[])
  }

  #struct(members: ReadonlyMap<string, JsonNode>): StructShape {
    const fields = new Map<string, FieldShape>()
    for (const [member, node] of members) {
      const shape = this.find(node)
      if (shape === null) continue
      const name = this.#adjust(member)
      if (name === '') throw new ShapeError('a member has no name')
      if (fields.has(name)) throw new ShapeError(`two members have the name ${name} after the adjustment`)
      fields.set(name, { member, shape })
    }
    return { tag: 'struct', fields, isOptional: true }
  }

  #array(nodes: readonly JsonNode[]): ArrayShape | null {
    if (nodes.length === 0) return null
    const present = nodes.filter((node) => node !== null)
    const [first = null] = present
    if (first === null) {
      if (!this.#keepsNulls) throw new ShapeError('an array has no item that is not null')
      return { tag: 'array', items: 'bytes' }
    }
    const shapes = distinct(present.map((node) => this.find(node)))
    const [one, ...others] = shapes
    if (one === undefined) throw new ShapeError('an array has only empty items')
    if (others.length === 0) return { tag: 'array', items: one }
    const items = others.reduce(merged, one)
    // Debezium’s merged items are not optional.
    return { tag: 'array', items: isStruct(items) ? { ...items, isOptional: false } : items }
  }
}

function distinct(shapes: readonly (Shape | null)[]): readonly Shape[] {
  const byKey = new Map<string, Shape>()
  for (const shape of shapes) if (shape !== null) byKey.set(shapeKey(shape), shape)
  return [...byKey.values()]
}

function integerShape(value: bigint): Shape {
  if (BigInt.asIntN(32, value) === value) return 'int32'
  if (BigInt.asIntN(64, value) === value) return 'int64'
  throw new ShapeError('an integer has more than 64 bits')
}

function isStruct(shape: Shape): shape is StructShape {
  return typeof shape === 'object' && shape.tag === 'struct'
}

/** The shape of both. Only null has the shape `bytes`, which any other replaces. */
function merged(left: Shape, right: Shape): Shape {
  if (left === right || right === 'bytes') return left
  if (left === 'bytes') return right
  if (typeof left === 'object' && typeof right === 'object') {
    if (left.tag === 'array' && right.tag === 'array') return { tag: 'array', items: merged(left.items, right.items) }
    if (left.tag === 'struct' && right.tag === 'struct') return mergedStructs(left, right)
  }
  throw new ShapeError('an array has items of different types')
}

function mergedStructs(left: StructShape, right: StructShape): StructShape {
  const fields = new Map(left.fields)
  for (const [name, field] of right.fields) {
    const known = fields.get(name)
    if (known !== undefined && known.member !== field.member)
      throw new ShapeError(`two members have the name ${name} after the adjustment`)
    fields.set(name, known === undefined ? field : { ...field, shape: merged(known.shape, field.shape) })
  }
  return { tag: 'struct', fields, isOptional: left.isOptional && right.isOptional }
}

/** Equal texts for equal shapes. */
export function shapeKey(shape: Shape): string {
  if (typeof shape === 'string') return shape
  if (shape.tag === 'array') return `[${shapeKey(shape.items)}]`
  const fields = Array.from(
    shape.fields,
    ([name, field]) => `${JSON.stringify(name)}/${JSON.stringify(field.member)}:${shapeKey(field.shape)}`,
  )
  return `${shape.isOptional ? '?' : ''}{${fields.join(',')}}`
}

/** How many characters the names of the schema have, without making it: nested structs repeat the names of their path. */
export function nameCharacters(shape: Shape, pathCharacters: number): number {
  if (typeof shape === 'string') return 0
  if (shape.tag === 'array') return nameCharacters(shape.items, pathCharacters)
  let sum = pathCharacters
  for (const [name, field] of shape.fields) {
    sum += name.length + nameCharacters(field.shape, pathCharacters + 1 + name.length)
  }
  return sum
}

/** The schema of a shape. Structs are named after the path of their members, from `name`. */
export function schemaOfShape(shape: Shape, name: string | null): Schema {
  if (typeof shape === 'string') return SCALARS[shape]
  if (shape.tag === 'array') {
    const itemName = isStruct(shape.items) ? name : null
    return Schema.array(schemaOfShape(shape.items, itemName), { optional: true })
  }
  const fields = Array.from(shape.fields, ([field, { shape: own }]) => {
    const path = name === null || name.trim() === '' ? field : `${name}.${field}`
    return [field, schemaOfShape(own, path)] as const
  })
  return Schema.struct(fields, { optional: shape.isOptional, ...(name === null ? {} : { name }) })
}

const SCALARS: Readonly<Record<ScalarShape, Schema>> = {
  string: Schemas.optionalString,
  boolean: Schemas.optionalBoolean,
  int32: Schemas.optionalInt32,
  int64: Schemas.optionalInt64,
  double: Schema.of('double', { optional: true }),
  bytes: Schema.of('bytes', { optional: true }),
}
