import { canonicalText, type ExactJson, ExactNumber, isExactArray, isExactObject, member } from './exact-json.ts'
import type { RecordedRecord } from './recording.ts'

/** What of a record is compared: texts by path. */
export interface RecordView {
  /** For messages, and for pairing records of two recordings. */
  readonly label: string
  readonly schema: ReadonlyMap<string, string>
  readonly payload: ReadonlyMap<string, string>
}

export type TopicKind = 'data' | 'schemaChange' | 'history'

/** The kind of a topic of a recording; null for one that is not compared. */
export function topicKind(topic: string): TopicKind | null {
  if (topic === 'PFX') return 'schemaChange'
  if (topic === 'PFX-history') return 'history'
  return /^PFX\.(?!transaction$)/.test(topic) ? 'data' : null
}

/** Database that a schema change or history record is about. */
export function databaseOf(record: RecordedRecord): string {
  const database = member(member(record.value, 'payload') ?? record.value, 'databaseName')
  return typeof database === 'string' ? database : ''
}

export function viewOf(kind: TopicKind, record: RecordedRecord): RecordView {
  switch (kind) {
    case 'data':
      return dataView(record)
    case 'schemaChange':
      return schemaChangeView(record)
    case 'history':
      return historyView(record)
  }
}

/** Key, before and after with their schemas, the operation, and the headers that name the other key. */
function dataView({ key, value, headers }: RecordedRecord): RecordView {
  const view = new ViewBuilder()
  view.document('key', key)
  const payload = member(value, 'payload')
  const envelope = member(value, 'schema')
  if (value === null) view.payload.set('value', 'null')
  else {
    view.payload.set('op', textAt(payload, 'op'))
    for (const side of ['before', 'after']) {
      const schema = fieldOf(envelope, side)
      view.addSchema(side, schema)
      view.addPayload(side, member(payload, side), schema)
    }
  }
  for (const [name, text] of headers) if (/^__debezium\.(new|old)key$/.test(name)) view.payload.set(name, text)
  const operation = value === null ? 'tombstone' : textAt(payload, 'op')
  return view.finish(`${operation} ${canonicalText(member(key, 'payload'))}`)
}

/** All of it but what the record formats differ in: source and time. */
function schemaChangeView({ key, value }: RecordedRecord): RecordView {
  const view = new ViewBuilder()
  view.document('key', key)
  const payload = member(value, 'payload')
  const schema = member(value, 'schema')
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

function textAt(value: ExactJson | undefined, key: string): string {
  const text = member(value, key)
  return typeof text === 'string' ? text : canonicalText(text)
}

/** The schema of a struct's field. */
function fieldOf(schema: ExactJson | undefined, name: string): ExactJson | undefined {
  const fields = member(schema, 'fields')
  return isExactArray(fields) ? fields.find((field) => member(field, 'field') === name) : undefined
}

const STRUCTURAL: ReadonlySet<string> = new Set(['fields', 'items', 'keys', 'values', 'field'])

class ViewBuilder {
  readonly schema: Map<string, string> = new Map<string, string>()
  readonly payload: Map<string, string> = new Map<string, string>()

  finish(label: string): RecordView {
    return { label, schema: this.schema, payload: this.payload }
  }

  /** A document of schema and payload. */
  document(path: string, document: ExactJson): void {
    this.addSchema(path, member(document, 'schema'))
    this.addPayload(path, member(document, 'payload'), member(document, 'schema'))
  }

  /** Each schema on a line of its own: its attributes, and of a struct the names of its fields in order. */
  addSchema(path: string, schema: ExactJson | undefined): void {
    if (!isExactObject(schema)) {
      this.schema.set(path, canonicalText(schema))
      return
    }
    const attributes = Object.keys(schema).filter((name) => !STRUCTURAL.has(name))
    const texts = attributes.toSorted().map((name) => `${name}=${canonicalText(schema[name])}`)
    const fields = member(schema, 'fields')
    if (isExactArray(fields)) {
      texts.push(`fields=${fields.map((field) => textAt(field, 'field')).join(',')}`)
      for (const field of fields) this.addSchema(`${path}.${textAt(field, 'field')}`, field)
    }
    for (const part of ['items', 'keys', 'values']) {
      if (Object.hasOwn(schema, part)) this.addSchema(`${path}[${part}]`, schema[part])
    }
    this.schema.set(path, texts.join(' '))
  }

  addPayload(path: string, value: ExactJson | undefined, schema: ExactJson | undefined): void {
    if (isExactObject(value) && Object.keys(value).length > 0) {
      for (const name of Object.keys(value)) this.addPayload(`${path}.${name}`, value[name], fieldOf(schema, name))
    } else if (isExactArray(value) && value.some((item) => isExactObject(item))) {
      this.#addItems(path, value, member(schema, 'items'))
    } else {
      this.payload.set(path, value instanceof ExactNumber ? numberText(value, schema) : canonicalText(value))
    }
  }

  /** The list itself is the names of its items: lists of other items are one difference. */
  #addItems(path: string, items: readonly ExactJson[], schema: ExactJson | undefined): void {
    const names = itemNames(items)
    this.payload.set(path, names.join(','))
    for (const [i, item] of items.entries()) this.addPayload(`${path}[${names[i]}]`, item, schema)
  }
}

/** What the items of a list are called: columns by their names, others by number. */
function itemNames(items: readonly ExactJson[]): readonly string[] {
  const names = items.map((item) => member(item, 'name'))
  const isNamed = names.every((name) => typeof name === 'string') && new Set(names).size === names.length
  return isNamed ? names : items.map((_, i) => String(i))
}

/** Floating-point numbers are compared by the value that their text stands for, all others digit by digit. */
function numberText(number: ExactNumber, schema: ExactJson | undefined): string {
  switch (member(schema, 'type')) {
    case 'float':
      return String(Math.fround(Number(number.text)))
    case 'double':
      return Object.is(Number(number.text), -0) ? '-0' : String(Number(number.text))
    default:
      return number.normalForm
  }
}
