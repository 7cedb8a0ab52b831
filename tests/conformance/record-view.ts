import { canonicalText, type ExactJson, isExactObject, member } from './exact-json.ts'
import { maskOf, statementMaskOf } from './masks.ts'
import type { RecordedRecord } from './recording.ts'
import { fieldOf, type RecordView, textAt, ViewBuilder } from './view-builder.ts'

export type TopicKind = 'data' | 'schemaChange' | 'history' | 'transaction'

/**
 * The kind of a topic of a recording; null when it is not compared. Variants of 22_smt_topics have a longer prefix or
 * another delimiter.
 */
export function topicKind(topic: string): TopicKind | null {
  if (/^PFX(-x\.y)?$/.test(topic)) return 'schemaChange'
  if (topic === 'PFX-history') return 'history'
  if (topic === 'PFX.transaction') return 'transaction'
  return /^PFX(-x\.y)?[._]/.test(topic) ? 'data' : null
}

/** Database that a schema change or history record is about. */
export function databaseOf(record: RecordedRecord): string {
  const database = member(member(record.value, 'payload') ?? record.value, 'databaseName')
  return typeof database === 'string' ? database : ''
}

/**
 * The parts that both record formats share, or (`isWhole`) all parts of a record in the reference's own format: with
 * source, times, headers, position.
 */
export function viewOf(kind: TopicKind, record: RecordedRecord, isWhole: boolean): RecordView {
  if (isWhole) return wholeView(kind, record)
  switch (kind) {
    case 'data':
      return dataView(withPayloads(record))
    case 'schemaChange':
      return schemaChangeView(withPayloads(record))
    case 'history':
      return historyView(record)
    case 'transaction':
      return wholeView(kind, record)
  }
}

/** With `schemas.enable=false` a document is its payload: its schema is absent then, which differs from null. */
function withPayloads({ key, value, headers }: RecordedRecord): RecordedRecord {
  const complete = (document: ExactJson): ExactJson =>
    isExactObject(document) && !Object.hasOwn(document, 'payload') ? { payload: document } : document
  return { key: complete(key), value: complete(value), headers }
}

/** Key, before and after with their schemas, the operation, and the headers that name the other key. */
function dataView({ key, value, headers }: RecordedRecord): RecordView {
  const view = new ViewBuilder()
  view.document('key', key)
  const payload = member(value, 'payload')
  const envelope = member(value, 'schema')
  if (value === null) view.payload.set('value', 'null')
  else {
    addSchemaForm(view, envelope)
    view.payload.set('op', textAt(payload, 'op'))
    for (const side of ['before', 'after']) {
      const schema = fieldOf(envelope, side)
      view.addSchema(side, schema)
      view.addPayload(side, member(payload, side), schema)
    }
  }
  for (const [name, text] of headers) if (/^__debezium\.(new|old)key$/.test(name)) view.payload.set(name, text)
  return view.finish(dataLabel({ key, value }))
}

/** Schemas are compared by part, so the presence of a schema is compared separately. */
function addSchemaForm(view: ViewBuilder, schema: ExactJson | undefined): void {
  if (!isExactObject(schema)) view.addSchema('value', schema)
}

function dataLabel({ key, value }: Pick<RecordedRecord, 'key' | 'value'>): string {
  const operation = value === null ? 'tombstone' : textAt(member(value, 'payload'), 'op')
  return `${operation} ${canonicalText(member(key, 'payload'))}`
}

/** All parts except those in which the record formats differ: source and time. */
function schemaChangeView({ key, value }: RecordedRecord): RecordView {
  const view = new ViewBuilder()
  view.document('key', key)
  const payload = member(value, 'payload')
  const schema = member(value, 'schema')
  addSchemaForm(view, schema)
  for (const name of ['databaseName', 'schemaName', 'ddl', 'tableChanges']) {
    view.addSchema(name, fieldOf(schema, name))
    view.addPayload(name, member(payload, name), fieldOf(schema, name))
  }
  return view.finish(statementOf(payload))
}

function historyView({ value }: RecordedRecord): RecordView {
  const view = new ViewBuilder()
  for (const name of ['databaseName', 'schemaName', 'ddl', 'tableChanges']) {
    view.addPayload(name, member(value, name), undefined)
  }
  return view.finish(statementOf(value ?? undefined))
}

function statementOf(change: ExactJson | undefined): string {
  const ddl = member(change, 'ddl')
  return typeof ddl === 'string' ? ddl.replaceAll(/\s+/g, ' ').slice(0, 80) : ''
}

function labelOf(kind: TopicKind, record: RecordedRecord, payload: ExactJson | undefined): string {
  if (kind === 'data') return dataLabel(record)
  if (kind !== 'transaction') return statementOf(payload)
  return `${textAt(payload, 'status')} ${textAt(payload, 'event_count')} ${canonicalText(member(payload, 'data_collections') ?? null)}`
}

/** The paths are those of the other views: they start with a field of the value. */
function wholeView(kind: TopicKind, record: RecordedRecord): RecordView {
  const { key, value, headers } = record
  const schema = member(value, 'schema')
  const payload = kind === 'history' ? value : member(value, 'payload')
  const isStreamed = member(member(payload, 'source'), 'snapshot') === 'false'
  const view = new ViewBuilder(kind === 'schemaChange' && isStreamed ? statementMaskOf : maskOf)
  view.document('key', key)
  if (schema !== undefined) view.addStruct('value', schema)
  if (isExactObject(payload)) {
    view.payload.set('value', Object.keys(payload).join(','))
    for (const name of Object.keys(payload)) view.addPayload(name, payload[name], fieldOf(schema, name))
  } else view.payload.set('value', canonicalText(payload ?? null))
  view.payload.set('headers', headers.map(([name]) => name).join(','))
  for (const [name, text] of headers) view.addPayload(`headers.${name}`, text, undefined)
  return view.finish(labelOf(kind, record, payload ?? undefined))
}
