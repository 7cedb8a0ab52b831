import {
  ConfigDef,
  type ConnectValue,
  type Field,
  Schema,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withValue } from '../stage/changed-record.ts'
import { javaClassName } from '../stage/java-class.ts'
import { javaDouble, javaFloat } from '../stage/java-number.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([])

interface VectorPlan {
  readonly struct: StructPlan
  /** The values of the changed fields, in order. */
  readonly makers: readonly ((struct: Struct) => ConnectValue)[]
}

/** Debezium's VectorToJsonConverter: vectors become JSON texts. */
class VectorToJsonConverter implements Transformation {
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  configure(): void {}

  apply(record: SourceRecord): SourceRecord {
    const { value, valueSchema } = record
    if (value === null) return record
    if (!(value instanceof Struct)) {
      const found = javaClassName(valueSchema, value)
      throw transformErrors.NOT_A_STRUCT({ purpose: 'Value should be a struct', found })
    }
    const changed = this.#changed(value)
    return withValue(record, changed.schema, changed)
  }

  #changed(struct: Struct): Struct {
    const plan = this.#plans.of(struct.schema)
    return plan.struct.make(
      struct,
      plan.makers.map((make) => make(struct)),
    )
  }

  #planOf(schema: Schema): VectorPlan {
    const edit = new StructEdit({ ...basicsOf(schema), optional: schema.isOptional })
    const makers: VectorPlan['makers'][number][] = []
    for (const field of schema.fields) {
      const json = jsonMaker(field)
      if (json !== null) {
        edit.add(field.name, jsonSchema(field.schema.isOptional))
        makers.push(json)
      } else if (field.schema.type === 'struct') {
        edit.add(field.name, this.#plans.of(field.schema).struct.schema)
        makers.push((struct) => {
          const nested = valueOf(struct, field)
          return nested instanceof Struct ? this.#changed(nested) : null
        })
      } else edit.keepWithDefault(field)
    }
    return { struct: edit.build(), makers }
  }
}

function valueOf(struct: Struct, { index, schema }: Field): ConnectValue {
  return struct.at(index) ?? schema.defaultValue
}

function jsonSchema(optional: boolean): Schema {
  return Schema.of('string', { name: 'io.debezium.data.Json', version: 1, optional })
}

/** Null: the field is no vector. */
function jsonMaker(field: Field): ((struct: Struct) => ConnectValue) | null {
  switch (field.schema.name) {
    case 'io.debezium.data.DoubleVector':
    case 'io.debezium.data.FloatVector': {
      const print = field.schema.valueSchema?.type === 'float' ? javaFloat : javaDouble
      return (struct) => vectorJson(valueOf(struct, field), print)
    }
    case 'io.debezium.data.SparseDoubleVector':
      return (struct) => sparseJson(valueOf(struct, field))
    default:
      return null
  }
}

function vectorJson(value: ConnectValue, print: (number: number) => string): string | null {
  if (!Array.isArray(value)) return null
  const items = (value as readonly ConnectValue[]).map((item) => (item === null ? 'null' : print(Number(item))))
  return `{ "values": [${items.join(', ')}] }`
}

function sparseJson(value: ConnectValue): string | null {
  if (!(value instanceof Struct)) return null
  const entries = Array.from(value.get('vector') as ReadonlyMap<ConnectValue, ConnectValue>)
    .map(([key, item]) => [Number(key), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([key, item]) => `"${key}": ${item === null ? 'null' : javaDouble(Number(item))}`)
  return `{ "dimensions": ${value.get('dimensions') === null ? 'null' : Number(value.get('dimensions'))}, "vector": { ${entries.join(', ')} } }`
}

export const vectorToJsonConverterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.VectorToJsonConverter',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new VectorToJsonConverter(),
}
