import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  type Field,
  type Schema,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
  javaTypeName,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { requireNew } from '../stage/null-defaults.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { flattenMap } from './flatten-map.ts'

const config = new ConfigDef([
  {
    name: 'delimiter',
    type: 'STRING',
    defaultValue: '.',
    documentation: 'Text between the names of a struct and of its field in the new name.',
    importance: 'MEDIUM',
  },
])

const PURPOSE = 'flattening'

/** How structs of one schema are flattened. */
interface FlatPlan {
  readonly struct: StructPlan
  /** The fields within structs, in the order in which the plan adds them. */
  readonly nested: readonly (readonly Field[])[]
}

/** Replaces structs within a struct by their fields. */
class Flatten implements Transformation {
  readonly #side: RecordSide
  #delimiter = '.'
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    this.#delimiter = config.parse(options).string('delimiter')
  }

  apply(record: SourceRecord): SourceRecord {
    const value = this.#side.valueOf(record)
    if (value === null) return record
    const schema = this.#side.schemaOf(record)
    if (schema === null) return this.#side.with(record, null, flattenMap(requireMap(value, PURPOSE), this.#delimiter))
    const struct = requireStruct(schema, value, PURPOSE)
    const plan = this.#plans.of(schema)
    const added = plan.nested.map((path) => valueAt(struct, path))
    return this.#side.with(record, plan.struct.schema, plan.struct.make(struct, added))
  }

  #planOf(schema: Schema): FlatPlan {
    const edit = new StructEdit(basicsOf(schema))
    const nested: (readonly Field[])[] = []
    const add = (container: Container): void => {
      for (const field of container.schema.fields) {
        const part = this.#partOf(container, field)
        if (field.schema.type === 'struct') {
          add(part)
          continue
        }
        if (field.schema.type === 'map') {
          const type = javaTypeName(field.schema.type)
          throw transformErrors.FLATTEN_TYPE({ type, mode: 'with schemas', name: part.name })
        }
        requireNew(edit, part.name)
        if (container.path.length === 0) edit.keepWithDefault(field, part)
        else {
          edit.add(part.name, part.schema)
          nested.push(part.path)
        }
      }
    }
    add({ name: '', schema, isOptional: schema.isOptional, defaultValue: schema.defaultValue, path: [] })
    return { struct: edit.build(), nested }
  }

  /** A field is optional when it or a struct around it is; its default may be in the default of a struct around it. */
  #partOf(container: Container, field: Field): Container {
    const isOptional = container.isOptional || field.schema.isOptional
    const inDefault = container.defaultValue instanceof Struct ? container.defaultValue.get(field.name) : null
    const defaultValue = field.schema.defaultValue ?? inDefault
    const isSame = isOptional === field.schema.isOptional && defaultValue === field.schema.defaultValue
    const changes = { optional: isOptional, ...(defaultValue === null ? {} : { defaultValue }) }
    return {
      name: container.name === '' ? field.name : container.name + this.#delimiter + field.name,
      schema: isSame ? field.schema : field.schema.with(changes),
      isOptional,
      defaultValue,
      path: [...container.path, field],
    }
  }
}

/** A field of the struct or of a struct in it, under its new name. */
interface Container {
  /** Empty: the struct itself. */
  readonly name: string
  readonly schema: Schema
  readonly isOptional: boolean
  readonly defaultValue: ConnectValue
  readonly path: readonly Field[]
}

/** The default of the last field replaces a null, those of the structs around it do not. */
function valueAt(struct: Struct, path: readonly Field[]): ConnectValue {
  let value: ConnectValue = struct
  let defaultValue: ConnectValue = null
  for (const { index, schema } of path) {
    if (!(value instanceof Struct)) return null
    value = value.at(index)
    defaultValue = schema.defaultValue
  }
  return value ?? defaultValue
}

export const flattenPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'Flatten',
  config,
  (side) => new Flatten(side),
)
