import { ConfigDef, type ConfigKey, type SchemaType, type Validator } from '@tributary/connect-api'
import { REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'
import { javaListText, javaSplit } from '../stage/option-validators.ts'

/** The types that values are cast to. */
export type CastType = 'int8' | 'int16' | 'int32' | 'int64' | 'float' | 'double' | 'boolean' | 'string'

const TARGETS: ReadonlyMap<string, CastType> = new Map([
  ['INT8', 'int8'],
  ['INT16', 'int16'],
  ['INT32', 'int32'],
  ['INT64', 'int64'],
  ['FLOAT32', 'float'],
  ['FLOAT64', 'double'],
  ['BOOLEAN', 'boolean'],
  ['STRING', 'string'],
])
const OTHER_TYPES: ReadonlySet<string> = new Set(['BYTES', 'ARRAY', 'MAP', 'STRUCT'])

const SOURCES: ReadonlySet<SchemaType> = new Set<SchemaType>([...TARGETS.values(), 'bytes'])
const TARGET_LIST = [...TARGETS.keys()]
export const SOURCE_LIST: string = javaListText([...TARGET_LIST, 'BYTES'])

export function isCastSource(type: SchemaType): boolean {
  return SOURCES.has(type)
}

/** What `spec` means: a type for the whole value, or types of fields. */
export interface CastSpec {
  readonly whole: CastType | null
  readonly fields: ReadonlyMap<string, CastType>
}

/** Parses the entries of `spec`, or returns the message of the refusal. */
export function parseCastSpec(entries: readonly string[]): CastSpec | string {
  if (entries.length === 0) return 'Must specify at least one field to cast.'
  const fields = new Map<string, CastType>()
  let whole: CastType | null = null
  for (const entry of entries) {
    const [first = '', second, ...more] = javaSplit(entry, ':')
    if (more.length > 0) {
      // Connect names the option of ReplaceField.
      return `Invalid value ${javaListText(entries)} for configuration renames: Invalid rename mapping: ${entry}`
    }
    const typeName = (second ?? first).trim()
    const type = TARGETS.get(typeName.toUpperCase())
    if (type === undefined) return wrongType(typeName)
    if (second === undefined) whole = type
    else fields.set(first.trim(), type)
  }
  if (whole !== null && entries.length > 1) {
    return 'Cast transformations that specify a type to cast the entire value to may only specify a single cast in their spec'
  }
  return { whole, fields }
}

function wrongType(name: string): string {
  const upper = name.toUpperCase()
  if (!OTHER_TYPES.has(upper)) return `Invalid type found in casting spec: ${name}`
  return `Cast transformation does not support casting to ${upper}; supported types are ${javaListText(TARGET_LIST)}`
}

const isCastSpec: Validator = (value) => {
  const spec = parseCastSpec(Array.isArray(value) ? (value as readonly string[]) : [])
  return typeof spec === 'string' ? () => spec : null
}

const keys: readonly ConfigKey[] = [
  {
    name: 'spec',
    type: 'LIST',
    documentation:
      'New types of fields: `field:type`, separated by commas; or one type for the whole key or value. Types: int8, int16, int32, int64, float32, float64, boolean, string.',
    importance: 'HIGH',
    validators: [isCastSpec],
  },
  REPLACE_NULL_OPTION,
]

export const castConfig: ConfigDef = new ConfigDef(keys)
