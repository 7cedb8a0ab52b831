import { instantText, scalarText, Struct, type ConnectValue, type Field } from '@tributary/connect-api'
import { converterErrors } from '../errors.ts'
import { type EventSchemas, TRANSACTION_FIELDS } from './event-schemas.ts'

/** Makes the values of the attributes, in the order of their schema. */
export class EventAttributes {
  readonly #schemas: EventSchemas
  readonly #contentType: string
  readonly #hasExtensions: boolean
  readonly #type: string
  readonly #time: (source: Struct) => string
  readonly #isText: readonly boolean[]

  constructor(schemas: EventSchemas, form: { readonly contentType: string; readonly hasExtensions: boolean }) {
    const { connector, source } = schemas
    this.#schemas = schemas
    this.#contentType = form.contentType
    this.#hasExtensions = form.hasExtensions
    this.#type = `io.debezium.connector.${connector}.DataChangeEvent`
    this.#time = timeReader(schemas)
    this.#isText = source.fields.map(({ schema }) => schema.type === 'int64')
  }

  /** `dataSchema`: the address of the schema of the data, which only Avro has. */
  of(record: Struct, source: Struct, dataSchema: string | null): ConnectValue[] {
    const name = textOf(source.get('name'))
    const values: ConnectValue[] = [
      `name:${name};file:${textOf(source.get('file'))};pos:${textOf(source.get('pos'))}`,
      `/debezium/${this.#schemas.connector}/${name}`,
      '1.0',
      this.#type,
      this.#time(source),
      this.#contentType,
    ]
    if (dataSchema !== null) values.push(dataSchema)
    if (this.#hasExtensions) this.#addExtensions(record, source, values)
    return values
  }

  #addExtensions(record: Struct, source: Struct, values: ConnectValue[]): void {
    values.push(record.get('op'))
    const { fields } = this.#schemas.source
    for (let i = 0; i < fields.length; i++) {
      const value = source.at(i) ?? (fields[i] as Field).schema.defaultValue
      values.push(this.#isText[i] === true && value !== null ? textOf(value) : value)
    }
    const transaction = this.#schemas.hasTransaction ? record.get('transaction') : null
    for (const [name] of TRANSACTION_FIELDS) {
      const value = transaction instanceof Struct ? transaction.get(name) : null
      values.push(value === null ? null : textOf(value))
    }
  }
}

/** Returns a function that formats the time of the source: of format v1 its seconds, of v2 its milliseconds. */
function timeReader({ source }: EventSchemas): (source: Struct) => string {
  const [field, factor] = source.field('ts_ms') === null ? (['ts_sec', 1_000] as const) : (['ts_ms', 1] as const)
  const index = source.field(field)?.index
  if (index === undefined) throw converterErrors.CLOUD_EVENT_SOURCE({ schema: source.name ?? '(none)' })
  let lastMs = -1
  let lastText = ''
  return (value) => {
    const ms = Number(value.at(index)) * factor
    if (ms !== lastMs) {
      lastText = instantText(ms)
      lastMs = ms
    }
    return lastText
  }
}

/** The text of a string or a whole number. */
export function textOf(value: ConnectValue): string {
  return scalarText(null, value) ?? ''
}
