import {
  ConfigDef,
  connectErrors,
  nameAdjuster,
  nameAdjustments,
  oneOfIgnoringCase,
  type ConfigKey,
  type ConfigValues,
  type NameAdjuster,
} from '@tributary/connect-api'

export interface CloudEventsOptions {
  /** The form of the event. */
  readonly event: 'json' | 'avro'
  /** The form of the attribute `data`. */
  readonly data: 'json' | 'avro'
  /** The event has an attribute for each field of `source`, for the operation and the transaction. */
  readonly hasExtensions: boolean
  /** Name of the event's schema in Avro; null: after the logical name and the database. */
  readonly schemaName: string | null
  readonly adjustName: NameAdjuster
  /** Options of the JSON and of the Avro converter, without their prefix. */
  readonly json: Readonly<Record<string, string>>
  readonly avro: Readonly<Record<string, string>>
}

const SOURCE_DEFAULT = 'value,id:generate,type:generate,traceparent:header,dataSchemaName:generate'

/** Options of the CloudEvents converter. Those after `json.` and `avro.` are of the converters of these formats. */
export const cloudEventsKeys: readonly ConfigKey[] = [
  {
    name: 'serializer.type',
    type: 'STRING',
    defaultValue: 'json',
    validators: [oneOfIgnoringCase('json', 'avro')],
    documentation: 'Form of the event: json or avro.',
  },
  {
    name: 'data.serializer.type',
    type: 'STRING',
    defaultValue: 'json',
    validators: [oneOfIgnoringCase('json', 'avro')],
    documentation: 'Form of the attribute `data`: json or avro; avro if the event is Avro.',
  },
  {
    name: 'extension.attributes.enable',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Write attributes `iodebezium…` for the operation, the fields of `source` and the transaction.',
  },
  {
    name: 'opentelemetry.tracing.attributes.enable',
    type: 'BOOLEAN',
    defaultValue: 'false',
    validators: [(value) => (value === true ? 'only false is supported: there are no headers of traces' : null)],
    documentation: 'Not supported: only false.',
  },
  {
    name: 'schema.name.adjustment.mode',
    type: 'STRING',
    defaultValue: 'avro',
    validators: [oneOfIgnoringCase(...nameAdjustments)],
    documentation: 'How the name of the schema of the event is changed for Avro.',
  },
  {
    name: 'schema.cloudevents.name',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Name of the schema of the event. Default: `<logical name>.<database>.CloudEvents.Envelope`.',
  },
  {
    name: 'schema.data.name.source.header.enable',
    type: 'BOOLEAN',
    defaultValue: 'false',
    validators: [(value) => (value === true ? 'only false is supported: the name is not read from a header' : null)],
    documentation: 'Not supported: only false.',
  },
  {
    name: 'metadata.source',
    type: 'LIST',
    defaultValue: SOURCE_DEFAULT,
    validators: [sourceProblem],
    documentation: 'Where metadata is taken from: from the value; `id` and `type` are generated. Headers are not read.',
  },
]

/** Java fails with the first record of a list that does not generate `id` and `type`; so it is refused here. */
function sourceProblem(value: unknown): string | null {
  const [global, ...fields] = Array.isArray(value) ? value.map(String) : []
  if (global?.trim().toLowerCase() !== 'value') return 'the first item must be value: headers are not read'
  const sources = new Map<string, string>()
  for (const field of fields) {
    const [name = '', source = ''] = field.trim().split(':')
    if (!FIELDS.includes(name))
      return `field ${name} is not allowed to set custom source; known are ${FIELDS.join(', ')}`
    if (!/^(generate|header)$/i.test(source))
      return `field source ${source} of ${name} is not valid; known are generate and header`
    sources.set(name, source.toLowerCase())
  }
  const missing = ['id', 'type'].filter((name) => sources.get(name) !== 'generate')
  return missing.length === 0 ? null : `it must contain ${missing.map((name) => `${name}:generate`).join(' and ')}`
}

const FIELDS: readonly string[] = ['id', 'type', 'traceparent', 'dataSchemaName']

const definition = new ConfigDef(cloudEventsKeys)

/** Throws CONVERTER_OPTION for the first option with an invalid value. */
export function parseCloudEventsOptions(options: Readonly<Record<string, string>>): CloudEventsOptions {
  for (const { name, errors } of definition.validate(options)) {
    const [reason] = errors
    if (reason !== undefined) throw connectErrors.CONVERTER_OPTION({ name, value: options[name] ?? 'null', reason })
  }
  const values = definition.parse(options)
  const [event, data] = [formOf(values, 'serializer.type'), formOf(values, 'data.serializer.type')]
  if (event === 'avro' && data === 'json') {
    const reason = 'the data of an event in Avro must be Avro: set data.serializer.type=avro'
    throw connectErrors.CONVERTER_OPTION({ name: 'data.serializer.type', value: 'json', reason })
  }
  const mode = values.string('schema.name.adjustment.mode').toLowerCase()
  return {
    event,
    data,
    hasExtensions: values.boolean('extension.attributes.enable'),
    schemaName: values.optionalString('schema.cloudevents.name'),
    adjustName: nameAdjuster(nameAdjustments.find((known) => known === mode) ?? 'avro', 'schema'),
    json: withoutPrefix('json.', options),
    avro: withoutPrefix('avro.', options),
  }
}

function formOf(values: ConfigValues, name: string): 'json' | 'avro' {
  return values.string(name).toLowerCase() === 'avro' ? 'avro' : 'json'
}

function withoutPrefix(prefix: string, options: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const own = Object.entries(options).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
}
