import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  type Schema,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
  type Validator,
} from '@tributary/connect-api'
import { NullDefaults, REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'
import { distinctEntries, javaListText, javaSplit } from '../stage/option-validators.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { fieldNameOf, requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'

const areRenames: Validator = (value) => {
  const entries = Array.isArray(value) ? (value as readonly string[]) : []
  const wrong = entries.find((entry) => javaSplit(entry, ':').length !== 2)
  if (wrong === undefined) return null
  // Connect names the option without its prefix here.
  return () => `Invalid value ${javaListText(entries)} for configuration renames: Invalid rename mapping: ${wrong}`
}

const config = new ConfigDef([
  {
    name: 'exclude',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Fields to remove, even if `include` lists them.',
    importance: 'MEDIUM',
    validators: [distinctEntries({ mayBeEmpty: true })],
  },
  {
    name: 'include',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Fields to keep; others are removed. Empty: all are kept.',
    importance: 'MEDIUM',
    validators: [distinctEntries({ mayBeEmpty: true })],
  },
  {
    name: 'renames',
    type: 'LIST',
    defaultValue: '',
    documentation: 'New names of fields: `old:new`, separated by commas.',
    importance: 'MEDIUM',
    validators: [areRenames],
  },
  REPLACE_NULL_OPTION,
])

const PURPOSE = 'field replacement'

/** Removes and renames fields. */
class ReplaceField implements Transformation {
  readonly #side: RecordSide
  #exclude: ReadonlySet<string> = new Set()
  #include: ReadonlySet<string> = new Set()
  #renames: ReadonlyMap<string, string> = new Map()
  #defaults = new NullDefaults(true)
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#exclude = new Set(values.list('exclude'))
    this.#include = new Set(values.list('include'))
    this.#renames = new Map(
      values.list('renames').map((entry) => {
        const [from = '', to = ''] = javaSplit(entry, ':')
        return [from, to] as const
      }),
    )
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const value = this.#side.valueOf(record)
    if (value === null) return record
    const schema = this.#side.schemaOf(record)
    if (schema === null) return this.#side.with(record, null, this.#changedMap(value))
    const struct = requireStruct(schema, value, PURPOSE)
    const plan = this.#plans.of(struct.schema)
    return this.#side.with(record, plan.schema, plan.make(struct, []))
  }

  #changedMap(value: ConnectValue): ConnectValue {
    const changed = new Map<ConnectValue, ConnectValue>()
    for (const [key, item] of requireMap(value, PURPOSE)) {
      const name = fieldNameOf(key)
      if (this.#isKept(name)) changed.set(this.#renames.get(name) ?? name, item)
    }
    return changed
  }

  #isKept(name: string): boolean {
    return !this.#exclude.has(name) && (this.#include.size === 0 || this.#include.has(name))
  }

  #planOf(schema: Schema): StructPlan {
    const edit = new StructEdit(basicsOf(schema))
    for (const field of schema.fields) {
      if (!this.#isKept(field.name)) continue
      this.#defaults.keep(edit, field, { name: this.#renames.get(field.name) ?? field.name })
    }
    return edit.build()
  }
}

export const replaceFieldPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'ReplaceField',
  config,
  (side) => new ReplaceField(side),
)
