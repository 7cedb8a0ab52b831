import { type ConnectValue, derive, ownField, type Schema, Struct, StructDerivation } from '@tributary/connect-api'
import { transformErrors } from '../../errors.ts'
import { SchemaMemo } from '../../stage/schema-memo.ts'

const GEOMETRY = 'io.debezium.data.geometry.Geometry'

/** Changes the bytes of a geometry. `srid`: null if it has none. Returns the same object for no change. */
export type BytesChange = (wkb: Uint8Array, srid: number | null) => Uint8Array

type Change = (value: ConnectValue) => ConnectValue

interface StructPlan {
  readonly derivation: StructDerivation
  readonly fields: readonly { readonly index: number; readonly change: Change }[]
}

/** Changes the geometries of structs at any depth. Schemas stay the same objects. */
export class GeometryEdit {
  readonly #bytes: BytesChange
  readonly #inLists: boolean
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  /** `inLists`: geometries in arrays and maps are changed too. */
  constructor(bytes: BytesChange, inLists: boolean) {
    this.#bytes = bytes
    this.#inLists = inLists
  }

  /** Returns the same struct if no geometry has changed. */
  apply(struct: Struct): Struct {
    const { derivation, fields } = this.#plans.of(struct.schema)
    if (fields.length === 0) return struct
    const own = fields.map(({ index, change }) => change(struct.at(index)))
    const isSame = fields.every(({ index }, i) => own[i] === struct.at(index))
    return isSame ? struct : derive(derivation, struct, own)
  }

  #planOf(schema: Schema): StructPlan {
    const fields = schema.fields.flatMap(({ index, schema: own }) => {
      const change = this.#changeOf(own)
      return change === null ? [] : [{ index, change }]
    })
    const sources = schema.fields.map(({ index }) => {
      const number = fields.findIndex((field) => field.index === index)
      return number < 0 ? index : ownField(number)
    })
    return { derivation: new StructDerivation(schema, sources), fields }
  }

  /** Null: values of the schema have no geometry. */
  #changeOf(schema: Schema): Change | null {
    if (schema.type === 'struct') {
      if (schema.name === GEOMETRY) return (value) => (value instanceof Struct ? this.#geometry(value) : value)
      const hasSome = this.#plans.of(schema).fields.length > 0
      return hasSome ? (value) => (value instanceof Struct ? this.apply(value) : value) : null
    }
    if (!this.#inLists || (schema.type !== 'array' && schema.type !== 'map') || schema.valueSchema === null) return null
    const change = this.#changeOf(schema.valueSchema)
    if (change === null) return null
    return (value) => {
      if (value instanceof Map) {
        return new Map(
          Array.from(value as ReadonlyMap<ConnectValue, ConnectValue>, ([k, v]) => [k, change(v)] as const),
        )
      }
      return Array.isArray(value) ? (value as readonly ConnectValue[]).map(change) : value
    }
  }

  #geometry(geometry: Struct): Struct {
    const { schema } = geometry
    const [wkb, srid] = [schema.field('wkb'), schema.field('srid')]
    if (wkb === null || srid === null) throw transformErrors.NOT_A_FIELD({ name: wkb === null ? 'wkb' : 'srid' })
    const [bytes, number] = [geometry.at(wkb.index), geometry.at(srid.index)]
    if (!(bytes instanceof Uint8Array)) return geometry
    const changed = this.#bytes(bytes, typeof number === 'number' ? number : null)
    if (changed === bytes) return geometry
    const values = schema.fields.map(({ index }) => (index === wkb.index ? changed : geometry.at(index)))
    return new Struct(schema, values)
  }
}
