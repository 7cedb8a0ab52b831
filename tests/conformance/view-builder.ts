import { canonicalText, type ExactJson, ExactNumber, isExactArray, isExactObject, member } from './exact-json.ts'

/** The compared parts of a record: texts by path. */
export interface RecordView {
  /** For messages, and for pairing records of two recordings. */
  readonly label: string
  readonly schema: ReadonlyMap<string, string>
  readonly payload: ReadonlyMap<string, string>
}

export function textAt(value: ExactJson | undefined, key: string): string {
  const text = member(value, key)
  return typeof text === 'string' ? text : canonicalText(text)
}

/** The schema of a struct's field. */
export function fieldOf(schema: ExactJson | undefined, name: string): ExactJson | undefined {
  const fields = member(schema, 'fields')
  return isExactArray(fields) ? fields.find((field) => member(field, 'field') === name) : undefined
}

const STRUCTURAL: ReadonlySet<string> = new Set(['fields', 'items', 'keys', 'values', 'field'])

/** The replacement of a value that differs in every run; undefined when the value itself is compared. */
export type Mask = (path: string, value: ExactJson) => string | undefined

/** Flattens schemas and documents into texts by path. */
export class ViewBuilder {
  readonly #mask: Mask
  readonly schema: Map<string, string> = new Map<string, string>()
  readonly payload: Map<string, string> = new Map<string, string>()

  constructor(mask: Mask = () => undefined) {
    this.#mask = mask
  }

  finish(label: string): RecordView {
    return { label, schema: this.schema, payload: this.payload }
  }

  /** Adds a document of schema and payload. */
  document(path: string, document: ExactJson): void {
    this.addSchema(path, member(document, 'schema'))
    this.addPayload(path, member(document, 'payload'), member(document, 'schema'))
  }

  /** Adds a text for each schema: its attributes and, for a struct, the names of its fields in order. */
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

  /** Adds the root struct: its own text under `name`, its fields under their own names. */
  addStruct(name: string, schema: ExactJson): void {
    const fields = member(schema, 'fields')
    this.addSchema(name, isExactObject(schema) ? { ...schema, fields: [] } : schema)
    if (!isExactArray(fields)) return
    this.schema.set(`${name}.fields`, fields.map((field) => textAt(field, 'field')).join(','))
    for (const field of fields) this.addSchema(textAt(field, 'field'), field)
  }

  addPayload(path: string, value: ExactJson | undefined, schema: ExactJson | undefined): void {
    const masked = value === undefined ? undefined : this.#mask(path, value)
    if (masked !== undefined) this.payload.set(path, masked)
    else if (isExactObject(value) && Object.keys(value).length > 0) {
      for (const name of Object.keys(value)) this.addPayload(`${path}.${name}`, value[name], fieldOf(schema, name))
    } else if (isExactArray(value) && value.some((item) => isExactObject(item))) {
      this.#addItems(path, value, member(schema, 'items'))
    } else {
      this.payload.set(path, value instanceof ExactNumber ? numberText(value, schema) : canonicalText(value))
    }
  }

  /** Compares the names of the items as one value, so that a list with other items is a single difference. */
  #addItems(path: string, items: readonly ExactJson[], schema: ExactJson | undefined): void {
    const names = itemNames(items)
    this.payload.set(path, names.join(','))
    for (const [i, item] of items.entries()) this.addPayload(`${path}[${names[i]}]`, item, schema)
  }
}

/**
 * The names of the items of a list: their `name` when all have a distinct one, such as columns; otherwise the index.
 */
function itemNames(items: readonly ExactJson[]): readonly string[] {
  const names = items.map((item) => member(item, 'name'))
  const isNamed = names.every((name) => typeof name === 'string') && new Set(names).size === names.length
  return isNamed ? names : items.map((_, i) => String(i))
}

/** Floating-point numbers are compared by value, all others digit by digit. */
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
