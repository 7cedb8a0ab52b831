import { ConfigDef, connectErrors, type ConfigKey } from '@tributary/connect-api'

export interface ProtobufOptions {
  /** Fields that may be null have the label `optional`, so that null and zero differ. */
  readonly optionalForNullables: boolean
  /** Scalars that may be null are wrapper messages, so that null and zero differ. */
  readonly wrapperForNullables: boolean
  /** Names that Protobuf does not accept are changed; otherwise they are errors. */
  readonly scrubInvalidNames: boolean
  /** Null stays null in an optional field that has a default. */
  readonly ignoreDefaultForNullables: boolean
}

const flag = (name: string, documentation: string): ConfigKey => ({
  name,
  type: 'BOOLEAN',
  defaultValue: 'false',
  documentation,
})

/** An option that changes what is read, but nothing that this converter writes. */
const withoutEffect = (name: string, defaultValue: string): ConfigKey => ({
  name,
  type: 'STRING',
  defaultValue,
  documentation: 'Accepted for compatibility: it does not change what is written.',
})

/** Options of the Protobuf converter, without those of the registry. */
export const protobufKeys: readonly ConfigKey[] = [
  flag('optional.for.nullables', 'Label fields that may be null as optional; otherwise null is read as zero or empty.'),
  flag('wrapper.for.nullables', 'Write scalars that may be null as wrapper messages of google.protobuf.'),
  flag('scrub.invalid.names', 'Change names that Protobuf does not accept; otherwise they fail the task.'),
  flag('ignore.default.for.nullables', 'Write null, not the default, in optional fields that have one.'),
  {
    ...flag('generalized.sum.type.support', 'Not supported: only false.'),
    validators: [(value) => (value === true ? 'only false is supported' : null)],
  },
  withoutEffect('enhanced.protobuf.schema.support', 'false'),
  withoutEffect('generate.index.for.unions', 'true'),
  withoutEffect('generate.struct.for.nulls', 'false'),
  withoutEffect('int.for.enums', 'false'),
  withoutEffect('flatten.unions', 'false'),
  withoutEffect('optional.for.proto2', 'true'),
  withoutEffect('wrapper.for.raw.primitives', 'true'),
  withoutEffect('schemas.cache.config', '1000'),
]

const definition = new ConfigDef(protobufKeys)

/** Throws CONVERTER_OPTION for the first option with an invalid value. */
export function parseProtobufOptions(options: Readonly<Record<string, string>>): ProtobufOptions {
  for (const { name, errors } of definition.validate(options)) {
    const [reason] = errors
    if (reason !== undefined) throw connectErrors.CONVERTER_OPTION({ name, value: options[name] ?? 'null', reason })
  }
  const values = definition.parse(options)
  return {
    optionalForNullables: values.boolean('optional.for.nullables'),
    wrapperForNullables: values.boolean('wrapper.for.nullables'),
    scrubInvalidNames: values.boolean('scrub.invalid.names'),
    ignoreDefaultForNullables: values.boolean('ignore.default.for.nullables'),
  }
}
