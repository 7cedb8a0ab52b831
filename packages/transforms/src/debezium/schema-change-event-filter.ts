import {
  ConfigDef,
  type ConfigMap,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
  type Validator,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { textOf } from '../stage/text-of.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { isRequired, valueValidator } from './value-validator.ts'

const OPTION = 'schema.change.event.exclude.list'
const TYPES = ['CREATE', 'ALTER', 'DROP', 'TRUNCATE', 'DATABASE']

const areTypes: Validator = (value) => {
  const unknown = typesOf(String(value ?? '')).find((type) => !TYPES.includes(type))
  return unknown === undefined ? null : `'${unknown}' is none of ${TYPES.join(', ')}`
}

/** Java's split ignores empty parts at the end. */
function typesOf(list: string): readonly string[] {
  return list
    .replace(/,+$/, '')
    .split(',')
    .map((type) => type.trim())
}

const config = new ConfigDef([
  {
    name: OPTION,
    type: 'STRING',
    defaultValue: null,
    documentation:
      'Types of schema changes whose events are dropped, separated by commas: `CREATE`, `ALTER`, `DROP`, `TRUNCATE` and `DATABASE` (statements about no table).',
    importance: 'HIGH',
    width: 'SHORT',
    displayName: 'Schema change event exclude list',
    validators: [valueValidator(OPTION, isRequired), valueValidator(OPTION, areTypes)],
  },
])

/** Debezium's SchemaChangeEventFilter: drops events of the schema change topic by the type of the change. */
class SchemaChangeEventFilter implements Transformation {
  #excluded: ReadonlySet<string> = new Set()

  configure(options: ConfigMap): void {
    this.#excluded = new Set(typesOf(config.parse(options).string(OPTION)))
  }

  apply(record: SourceRecord): SourceRecord | null {
    const { value, valueSchema } = record
    if (!(value instanceof Struct) || !/\.SchemaChange(Value|Key)$/.test(valueSchema?.name ?? '')) return record
    const field = value.schema.field('tableChanges')
    if (field === null) throw transformErrors.NOT_A_FIELD({ name: 'tableChanges' })
    const changes = value.at(field.index)
    // Debezium drops it too.
    if (!Array.isArray(changes)) return null
    const [first] = changes as readonly unknown[]
    const type = first instanceof Struct ? textOf(first.get('type')) : 'DATABASE'
    return type !== null && this.#excluded.has(type) ? null : record
  }
}

export const schemaChangeEventFilterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.SchemaChangeEventFilter',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new SchemaChangeEventFilter(),
}
