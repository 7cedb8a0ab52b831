import { ConfigDef, connectErrors, oneOfIgnoringCase, type ConfigKey } from '@tributary/connect-api'

export interface JsonSchemaOptions {
  /** Objects may have properties that their schema does not name. */
  readonly allowsAdditionalProperties: boolean
  /** Null stays null in an optional field that has a default. */
  readonly ignoreDefaultForNullables: boolean
  /** Decimals are written as base64 of their unscaled bytes, or as JSON numbers. */
  readonly decimalFormat: 'BASE64' | 'NUMERIC'
}

const flag = (name: string, defaultValue: string, documentation: string): ConfigKey => ({
  name,
  type: 'BOOLEAN',
  defaultValue,
  documentation,
})

/** An option that changes what is read, or what is made of Java objects, but nothing that this converter writes. */
const withoutEffect = (name: string, defaultValue: string | null): ConfigKey => ({
  name,
  type: 'STRING',
  defaultValue,
  documentation: 'Accepted for compatibility: it does not change what is written.',
})

const onlyFalse = (name: string): ConfigKey => ({
  ...flag(name, 'false', 'Not supported: only false.'),
  validators: [(value) => (value === true ? 'only false is supported' : null)],
})

/** Options of the JSON Schema converter, without those of the registry. */
export const jsonSchemaKeys: readonly ConfigKey[] = [
  flag(
    'object.additional.properties',
    'true',
    'False: schemas of objects forbid properties that they do not name (`additionalProperties`).',
  ),
  {
    name: 'decimal.format',
    type: 'STRING',
    defaultValue: 'BASE64',
    validators: [oneOfIgnoringCase('BASE64', 'NUMERIC')],
    documentation: 'How Decimal values are written: BASE64 of the unscaled bytes, or NUMERIC.',
  },
  flag('ignore.default.for.nullables', 'false', 'Write null, not the default, in optional fields that have one.'),
  onlyFalse('generalized.sum.type.support'),
  onlyFalse('json.indent.output'),
  withoutEffect('schemas.cache.config', '1000'),
  withoutEffect('use.optional.for.nonrequired', 'false'),
  withoutEffect('ignore.modern.dialects', 'false'),
  withoutEffect('flatten.singleton.unions', 'true'),
  withoutEffect('preserve.additional.properties', 'false'),
  withoutEffect('json.fail.unknown.properties', 'true'),
  withoutEffect('json.fail.invalid.schema', 'false'),
  withoutEffect('json.write.dates.iso8601', 'false'),
  withoutEffect('json.schema.spec.version', 'draft_7'),
  withoutEffect('json.schema.scan.packages', ''),
  withoutEffect('json.envelope.detection', 'true'),
  withoutEffect('json.oneof.for.nullables', 'true'),
  withoutEffect('json.default.property.inclusion', null),
]

const definition = new ConfigDef(jsonSchemaKeys)

/** Throws CONVERTER_OPTION for the first option with an invalid value. */
export function parseJsonSchemaOptions(options: Readonly<Record<string, string>>): JsonSchemaOptions {
  for (const { name, errors } of definition.validate(options)) {
    const [reason] = errors
    if (reason !== undefined) throw connectErrors.CONVERTER_OPTION({ name, value: options[name] ?? 'null', reason })
  }
  const values = definition.parse(options)
  return {
    allowsAdditionalProperties: values.boolean('object.additional.properties'),
    ignoreDefaultForNullables: values.boolean('ignore.default.for.nullables'),
    decimalFormat: values.string('decimal.format').toUpperCase() === 'NUMERIC' ? 'NUMERIC' : 'BASE64',
  }
}
