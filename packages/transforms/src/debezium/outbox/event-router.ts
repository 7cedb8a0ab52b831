import {
  type ConfigMap,
  type ConfigValues,
  type ConnectValue,
  type Header,
  nameAdjuster,
  type NameAdjustment,
  nameAdjustments,
  type Schema,
  type SourceRecord,
  type StageContext,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { arrayOfLength, type JavaPattern, type Logger } from '@tributary/support'
import { transformErrors } from '../../errors.ts'
import { compilePattern, compileReplacement } from '../../stage/pattern-options.ts'
import { RepeatedText } from '../../stage/repeated-text.ts'
import { SchemaMemo } from '../../stage/schema-memo.ts'
import { SparseWarning } from '../../stage/sparse-warning.ts'
import { textOf } from '../../stage/text-of.ts'
import { TopicMemo } from '../../stage/topic-memo.ts'
import { TRANSFORMS_VERSION } from '../../version.ts'
import { envelopeOf } from '../envelope.ts'
import { parseAdditionalFields } from './additional-field.ts'
import { EventEnvelope } from './event-envelope.ts'
import { eventRouterConfig, type InvalidOperation } from './event-router-config.ts'
import { type ExpandedPayload, JsonPayload } from './json-payload.ts'
import {
  type ColumnNames,
  type Columns,
  hasEnvelope,
  locateColumns,
  timestampOf,
  valueOrDefault,
} from './outbox-columns.ts'

/** How rows of one schema become events. */
interface RowPlan {
  readonly columns: Columns
  /** Null: the value is the payload alone. */
  readonly envelope: EventEnvelope | null
}

/** The indexes of the fields of an event; null: it lacks the field. */
interface EventFields {
  readonly operation: number | null
  readonly row: number | null
  readonly time: number | null
}

/** Debezium’s outbox EventRouter: an inserted row of an outbox table becomes an event with its own topic and key. */
class EventRouter implements Transformation {
  #names: ColumnNames | null = null
  #invalidOperation: InvalidOperation = 'warn'
  #json: JsonPayload | null = null
  #sendsTombstones = false
  #topics = new TopicMemo((value) => value)
  readonly #routedBy = new RepeatedText()
  #updates: SparseWarning | null = null
  #expansions: SparseWarning | null = null
  readonly #events = new SchemaMemo(eventFields)
  readonly #plans = new SchemaMemo((row) => this.#planOf(row))

  configure(options: ConfigMap, { logger }: StageContext): void {
    const values = eventRouterConfig.parse(options)
    warnOfOldNames(options, logger)
    this.#names = columnNames(values)
    this.#invalidOperation = values.string('table.op.invalid.behavior').toLowerCase() as InvalidOperation
    this.#sendsTombstones = values.boolean('route.tombstone.on.empty.payload')
    if (values.boolean('table.expand.json.payload')) {
      const keepsNulls = values.string('table.json.payload.null.behavior').toLowerCase() === 'optional_bytes'
      this.#json = new JsonPayload(this.#names.payload, fieldAdjuster(options), keepsNulls)
    }
    this.#topics = topicsOf(values)
    this.#updates = new SparseWarning(logger, this.#invalidOperation === 'error' ? 'error' : 'warn')
    this.#expansions = new SparseWarning(logger)
  }

  apply(record: SourceRecord): SourceRecord | null {
    if (record.value === null) return null
    const event = envelopeOf(record)
    if (event === null) return record
    const fields = this.#events.of(event.schema)
    const operation = textOf(event.at(fieldNamed('op', fields.operation)))
    if (operation === 'd') return null
    if (operation === 'u') return this.#updated(record)
    const row = event.at(fieldNamed('after', fields.row))
    if (!(row instanceof Struct)) throw transformErrors.NOT_A_STRUCT({ purpose: 'Read Outbox Event', found: 'null' })
    return this.#routed(record, event, row)
  }

  #updated(record: SourceRecord): null {
    if (this.#invalidOperation === 'fatal') throw transformErrors.OUTBOX_ROW_UPDATED({ topic: record.topic })
    this.#updates?.log('a row of the outbox table was updated: the event is skipped', { topic: record.topic })
    return null
  }

  #routed(record: SourceRecord, event: Struct, row: Struct): SourceRecord {
    const { columns, envelope } = this.#plans.of(row.schema)
    const routedBy = this.#routedBy.of(row.at(columns.topic.index))
    if (routedBy === null) throw transformErrors.OUTBOX_TOPIC_NULL({ name: columns.topic.name })
    const payload = valueOrDefault(row, columns.payload)
    const expanded = this.#json === null || payload === null ? null : this.#expanded(record, payload, this.#json)
    const isTombstone = this.#sendsTombstones && expanded === null && isEmpty(payload)
    const whole = isTombstone || envelope === null ? null : envelope.make(row, routedBy, expanded)
    const partition = columns.partition === null ? null : row.at(columns.partition.index)
    return {
      sourcePartition: record.sourcePartition,
      sourceOffset: record.sourceOffset,
      topic: this.#topics.of(routedBy),
      partition: typeof partition === 'number' ? partition : null,
      keySchema: columns.key.schema,
      key: valueOrDefault(row, columns.key),
      valueSchema: isTombstone ? null : (whole?.schema ?? expanded?.schema ?? columns.payload.schema),
      value: isTombstone ? null : (whole ?? (expanded === null ? payload : expanded.value)),
      timestamp: timestampOf(columns, row) ?? timeOf(event, this.#events.of(event.schema)),
      headers: headersOf(record, columns, row),
    }
  }

  #expanded(record: SourceRecord, payload: ConnectValue, json: JsonPayload): ExpandedPayload | null {
    const text = textOf(payload)
    const expanded = text === null ? 'It is not a text.' : json.expand(text)
    if (typeof expanded !== 'string') return expanded
    const { topic } = record
    this.#expansions?.log('the payload of an event is not expanded: it stays as it is', { topic, reason: expanded })
    return null
  }

  #planOf(row: Schema): RowPlan {
    const names = this.#names ?? columnNames(eventRouterConfig.parse({}))
    const columns = locateColumns(names, row)
    return { columns, envelope: hasEnvelope(names) ? new EventEnvelope(row, columns) : null }
  }
}

function columnNames(values: ConfigValues): ColumnNames {
  return {
    id: values.string('table.field.event.id'),
    key: values.string('table.field.event.key'),
    payload: values.string('table.field.event.payload'),
    timestamp: values.optionalString('table.field.event.timestamp'),
    topic: values.string('route.by.field'),
    version: values.optionalString('table.field.event.schema.version'),
    additional: parseAdditionalFields(values.list('table.fields.additional.placement')),
    ignoresMissing: values.string('table.field.additional.missing').toLowerCase() === 'ignore',
  }
}

function topicsOf(values: ConfigValues): TopicMemo {
  const pattern: JavaPattern = compilePattern('route.topic.regex', values.string('route.topic.regex'))
  const text = values.string('route.topic.replacement')
  const replacement = compileReplacement('route.topic.replacement', text, pattern)
  return new TopicMemo((value) => (pattern.matches(value) ? replacement.replaceFirst(value) : value))
}

/** Debezium reads the option, but its definition does not list it. */
function fieldAdjuster(options: ConfigMap): (name: string) => string {
  const text = options['field.name.adjustment.mode']?.trim().toLowerCase() ?? 'none'
  const mode: NameAdjustment | undefined = nameAdjustments.find((known) => known === text)
  if (mode !== undefined) return nameAdjuster(mode, 'field')
  const reason = `it is none of ${nameAdjustments.join(', ')}`
  throw transformErrors.TRANSFORMATION_OPTION({ name: 'field.name.adjustment.mode', value: text, reason })
}

function eventFields(schema: Schema): EventFields {
  const indexOf = (name: string): number | null => schema.field(name)?.index ?? null
  return { operation: indexOf('op'), row: indexOf('after'), time: indexOf('ts_ms') }
}

function fieldNamed(name: string, index: number | null): number {
  if (index === null) throw transformErrors.NOT_A_FIELD({ name })
  return index
}

function timeOf(event: Struct, { time: index }: EventFields): number | null {
  const time = event.at(fieldNamed('ts_ms', index))
  return typeof time === 'number' || typeof time === 'bigint' ? Number(time) : null
}

function headersOf(record: SourceRecord, { id, headers }: Columns, row: Struct): readonly Header[] {
  const { headers: own } = record
  const list = arrayOfLength<Header>(own.length + 1 + headers.length)
  let at = 0
  for (const header of own) list[at++] = header
  list[at++] = { key: 'id', schema: id.schema, value: valueOrDefault(row, id) }
  for (const { field, newName } of headers) {
    list[at++] = { key: newName, schema: field.schema, value: valueOrDefault(row, field) }
  }
  return list
}

/** Null, or a text of spaces and control characters: what String.trim of Java removes. */
function isEmpty(payload: ConnectValue): boolean {
  if (payload === null) return true
  const text = textOf(payload)
  return text !== null && /^[\0- ]*$/.test(text)
}

/** Options of Debezium 1.x, whose names are aliases of the present ones. */
function warnOfOldNames(options: ConfigMap, logger: Logger): void {
  for (const { name, aliases = [] } of eventRouterConfig.keys) {
    const option = aliases.find((alias) => options[alias] !== undefined)
    if (option === undefined) continue
    const use =
      options[name] === undefined ? `is an old name: it is read as ${name}` : `has no effect, because ${name} is set`
    logger.warn(`The option ${option} ${use}`, { option })
  }
}

export const eventRouterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.outbox.EventRouter',
  version: TRANSFORMS_VERSION,
  config: eventRouterConfig,
  create: () => new EventRouter(),
}
