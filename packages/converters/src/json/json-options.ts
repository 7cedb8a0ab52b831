import { ConfigDef, connectErrors, oneOfIgnoringCase, type ConfigKey } from '@tributary/connect-api'

export interface JsonOptions {
  /** True: documents are `{"schema":…,"payload":…}`. False: documents are the payload alone. */
  readonly schemasEnabled: boolean
  /** Null in a field that has a default is written as the default. */
  readonly replaceNullWithDefault: boolean
  /** Decimals are written as base64 of their unscaled bytes, or as JSON numbers. */
  readonly decimalFormat: 'BASE64' | 'NUMERIC'
  /**
   * Entries of maps whose keys are not plain strings are objects of `key` and `value`, as in JSON Schema; otherwise
   * pairs. Default: false.
   */
  readonly hasEntryObjects?: boolean
}

/** Options of the converter, without the prefix `key.converter.` or `value.converter.`. */
export const jsonConverterKeys: readonly ConfigKey[] = [
  {
    name: 'schemas.enable',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Write the schema of each record beside its payload.',
  },
  {
    name: 'schemas.cache.size',
    type: 'INT',
    defaultValue: '1000',
    documentation: 'Accepted for compatibility. Compiled schemas live as long as the schemas themselves.',
  },
  {
    name: 'decimal.format',
    type: 'STRING',
    defaultValue: 'BASE64',
    validators: [oneOfIgnoringCase('BASE64', 'NUMERIC')],
    documentation: 'How Decimal values are written: BASE64 of the unscaled bytes, or NUMERIC.',
  },
  {
    name: 'replace.null.with.default',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Write the default of a field, where it has one, instead of null.',
  },
]

const definition = new ConfigDef(jsonConverterKeys)

/** Throws CONVERTER_OPTION for the first option with an invalid value. Ignores unknown options, as Connect does. */
export function parseJsonOptions(options: Readonly<Record<string, string>>): JsonOptions {
  for (const { name, errors } of definition.validate(options)) {
    const [reason] = errors
    if (reason !== undefined) throw connectErrors.CONVERTER_OPTION({ name, value: options[name] ?? 'null', reason })
  }
  const values = definition.parse(options)
  return {
    schemasEnabled: values.boolean('schemas.enable'),
    replaceNullWithDefault: values.boolean('replace.null.with.default'),
    decimalFormat: values.string('decimal.format').toUpperCase() === 'NUMERIC' ? 'NUMERIC' : 'BASE64',
  }
}
