import { ConfigDef, connectErrors, type ConfigKey } from '@tributary/connect-api'

export interface AvroOptions {
  /** Avro schemas keep Connect's metadata in properties `connect.…`. */
  readonly connectMetaData: boolean
  /** Strings whose parameters list the symbols of an enumeration become Avro enumerations. */
  readonly enhancedSchemas: boolean
  /** True: names that Avro does not accept are changed. False: they are errors. */
  readonly scrubInvalidNames: boolean
  /** A map whose keys are optional strings becomes an Avro map. */
  readonly allowOptionalMapKeys: boolean
  /** Null stays null in an optional field that has a default. */
  readonly ignoreDefaultForNullables: boolean
}

const key = (name: string, defaultValue: string, documentation: string): ConfigKey => ({
  name,
  type: 'BOOLEAN',
  defaultValue,
  documentation,
})

/** Options of the Avro converter that change its schemas, without the prefix `key.converter.` or `value.converter.`. */
export const avroDataKeys: readonly ConfigKey[] = [
  key('connect.meta.data', 'true', 'Keep names, versions, parameters and defaults of Connect in the Avro schema.'),
  key(
    'enhanced.avro.schema.support',
    'false',
    'Write strings whose parameters list the symbols of an Avro enumeration as one.',
  ),
  key('scrub.invalid.names', 'false', 'Change names that Avro does not accept; otherwise they fail the task.'),
  key('allow.optional.map.keys', 'false', 'Write maps with optional string keys as Avro maps.'),
  key('ignore.default.for.nullables', 'false', 'Write null, not the default, in optional fields that have one.'),
  {
    name: 'schemas.cache.config',
    type: 'INT',
    defaultValue: '1000',
    documentation: 'Accepted for compatibility. Compiled schemas live as long as the schemas themselves.',
  },
  {
    ...key('generalized.sum.type.support', 'false', 'Not supported: only false.'),
    validators: [(value) => (value === true ? 'only false is supported' : null)],
  },
  {
    ...key('discard.type.doc.default', 'false', 'Not supported: only false.'),
    validators: [(value) => (value === true ? 'only false is supported' : null)],
  },
]

const definition = new ConfigDef(avroDataKeys)

/** Throws CONVERTER_OPTION for the first option with an invalid value. */
export function parseAvroOptions(options: Readonly<Record<string, string>>): AvroOptions {
  for (const { name, errors } of definition.validate(options)) {
    const [reason] = errors
    if (reason !== undefined) throw connectErrors.CONVERTER_OPTION({ name, value: options[name] ?? 'null', reason })
  }
  const values = definition.parse(options)
  return {
    connectMetaData: values.boolean('connect.meta.data'),
    enhancedSchemas: values.boolean('enhanced.avro.schema.support'),
    scrubInvalidNames: values.boolean('scrub.invalid.names'),
    allowOptionalMapKeys: values.boolean('allow.optional.map.keys'),
    ignoreDefaultForNullables: values.boolean('ignore.default.for.nullables'),
  }
}
