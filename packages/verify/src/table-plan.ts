import type { ComparableColumn, ComparableSource, ComparableTable } from '@tributary/connector-mysql'
import type { ColumnForm } from './forms/column-form.ts'
import { columnForm, type Spelling } from './forms/column-forms.ts'
import type { JsonObject } from './forms/json-value.ts'
import { type Hash64, hashText, hashDigits, readDigits } from './state/row-hash.ts'

/** A column with the way to compare it. */
export interface PlannedColumn extends ComparableColumn {
  readonly form: ColumnForm
}

/** A column whose values are not compared. */
export interface ExcludedColumn {
  readonly column: string
  readonly reason: string
}

/** The text of a row: of each column, or null for NULL. */
export type RowTexts = readonly (string | null)[]

/** How the rows of a table and the records of its topic become comparable. */
export class TablePlan {
  readonly table: ComparableTable
  readonly key: readonly PlannedColumn[]
  readonly columns: readonly PlannedColumn[]
  readonly excluded: readonly ExcludedColumn[]
  /** The columns that identify a row, by which pages of the table are ordered. */
  readonly orderColumns: readonly string[]
  /** `orderColumns`, if a condition can continue their order; otherwise null. */
  readonly pageColumns: readonly PlannedColumn[] | null
  readonly #digested: readonly PlannedColumn[]
  readonly #raw: readonly PlannedColumn[]

  private constructor(
    table: ComparableTable,
    key: readonly PlannedColumn[],
    parts: Pick<TablePlan, 'columns' | 'excluded'>,
  ) {
    this.table = table
    this.key = key
    this.columns = parts.columns
    this.excluded = parts.excluded
    this.#digested = parts.columns.filter(({ form }) => form.kind !== 'raw')
    this.#raw = parts.columns.filter(({ form }) => form.kind === 'raw')
    this.orderColumns = identifyingColumns(table) ?? []
    const pages = this.orderColumns.map((name) => key.find((each) => each.name === name))
    const isOrdered = pages.length > 0 && pages.every((each) => each !== undefined && each.form.literal !== null)
    this.pageColumns = isOrdered ? pages.filter((each) => each !== undefined) : null
  }

  /** Returns why the table cannot be compared, instead of a plan. */
  static of(table: ComparableTable, source: ComparableSource, hasDecimalTexts: boolean): TablePlan | string {
    const spelling: Spelling = { hasDecimalTexts, binary: source.binary }
    const refusal = refusalOf(table, source)
    if (refusal !== null) return refusal
    const key = table.keyColumns.map((column) => planned(column, spelling))
    const unusable = key.find((each) => 'reason' in each)
    if (unusable !== undefined && 'reason' in unusable) {
      return `the column ${unusable.column} of its key cannot be compared: ${unusable.reason}`
    }
    const all = table.columns.map((column) => planned(column, spelling))
    return new TablePlan(
      table,
      key.filter((each) => 'form' in each),
      {
        columns: all.filter((each) => 'form' in each),
        excluded: all.filter((each) => 'reason' in each),
      },
    )
  }

  /** The expressions of a row: key, checksum, raw columns. */
  get checksumExpressions(): readonly string[] {
    const digest = this.#digested.map(({ name, form }) => digestPart(form, quoted(name))).join(',')
    const checksum = digest === '' ? "''" : `LEFT(SHA2(CONCAT(${digest}),256),16)`
    return [
      ...this.key.map(({ name, form }) => form.sql(quoted(name))),
      checksum,
      ...this.#raw.map(({ name, form }) => form.sql(quoted(name))),
    ]
  }

  /** The expressions of a row: key, then the text of every column. */
  get textExpressions(): readonly string[] {
    return [...this.key, ...this.columns].map(({ name, form }) => form.sql(quoted(name)))
  }

  /** The normal texts of the key at the start of a row of the server. */
  keyOfRow(row: RowTexts): readonly string[] {
    return this.key.map(({ form }, i) => normal(form, row[i] ?? null) ?? '')
  }

  /** The texts of a key in a record; null: it has not the fields of the key. */
  keyOfRecord(key: JsonObject): readonly string[] | null {
    const texts: string[] = []
    for (const { field, form } of this.key) {
      const value = key[field]
      const text = value === undefined || value === null ? null : form.ofTopic(value)
      if (text === null) return null
      texts.push(text)
    }
    return texts
  }

  hashKey(texts: readonly string[], into: Hash64): void {
    const [only = ''] = texts
    hashText(texts.length === 1 ? only : texts.map((text) => `${text.length}:${text}`).join(','), into)
  }

  /** Hashes a row of `checksumExpressions`. Returns false when the server could not compute the checksum. */
  hashRow(row: RowTexts, into: Hash64): boolean {
    const first = this.key.length
    const digest = row[first] ?? null
    if (digest === null) return false
    if (this.#raw.length === 0) {
      if (digest === '') hashText('', into)
      else readDigits(digest, into)
      return true
    }
    hashText(
      this.#withRaw(digest, (form, i) => normal(form, row[first + 1 + i] ?? null)),
      into,
    )
    return true
  }

  /**
   * Hashes the row of a record. A field that the record does not have, or whose value is not one of the column, gives
   * another hash than each row.
   *
   * @throws NeedsExactNumbers
   */
  hashRecord(row: JsonObject, into: Hash64): void {
    let text = ''
    for (const { field, form } of this.#digested) {
      const value = topicText(form, row, field)
      if (form.isLong === true) text += value === null ? 'N' : hashDigits(value)
      else if (form.kind === 'free') text += value === null ? 'N;' : `${Buffer.byteLength(value)}:${value}`
      else text += value === null ? 'N;' : `${value};`
    }
    if (this.#raw.length === 0) {
      hashText(text, into)
      return
    }
    const digest = text === '' ? '' : hashDigits(text).slice(0, 16)
    hashText(
      this.#withRaw(digest, (form, i) => topicText(form, row, this.#raw[i]?.field ?? '')),
      into,
    )
  }

  #withRaw(digest: string, textOf: (form: ColumnForm, index: number) => string | null): string {
    const texts = this.#raw.map(({ form }, i) => textOf(form, i))
    return `${digest}${texts.map((text) => (text === null ? 'N;' : `${text.length}:${text}`)).join('')}`
  }
}

/** The same text as `hashRecord` makes of an event, computed by the server. */
function digestPart(form: ColumnForm, column: string): string {
  const bytes = `CAST(${form.sql(column)} AS BINARY)`
  if (form.isLong === true) return `IFNULL(SHA2(${bytes},256),'N')`
  if (form.kind === 'free') return `IFNULL(CONCAT(LENGTH(${bytes}),':',${bytes}),'N;')`
  return `IFNULL(CONCAT(${bytes},';'),'N;')`
}

/** The normal form of a text of the server. */
export function normal(form: ColumnForm, text: string | null): string | null {
  return text === null || form.ofServer === undefined ? text : form.ofServer(text)
}

/** A value that is not one of the column gets a text that no column has. */
function topicText(form: ColumnForm, row: JsonObject, field: string): string | null {
  const value = row[field]
  if (value === undefined) return ABSENT
  return value === null ? null : (form.ofTopic(value) ?? FOREIGN)
}

const ABSENT = '\u0000absent'
const FOREIGN = '\u0000foreign'

export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

function planned(column: ComparableColumn, spelling: Spelling): PlannedColumn | ExcludedColumn {
  if (column.exclusion !== null) return { column: column.name, reason: column.exclusion }
  const form = columnForm(column.type, column.schema, spelling)
  return form === null
    ? { column: column.name, reason: `its type ${column.type.name} is not compared` }
    : { ...column, form }
}

/**
 * The columns of the primary key, or of another unique index, that the key of events contains: no two rows share a key.
 * Null: the key contains neither.
 */
function identifyingColumns({ keyColumns, primaryColumns, uniqueIndexes }: ComparableTable): readonly string[] | null {
  const names = new Set(keyColumns.map(({ name }) => name))
  const indexes = [primaryColumns, ...uniqueIndexes]
  return indexes.find((columns) => columns.length > 0 && columns.every((name) => names.has(name))) ?? null
}

function refusalOf(table: ComparableTable, source: ComparableSource): string | null {
  const { keyColumns, topic } = table
  if (source.tables.some((other) => other !== table && other.topic === topic)) {
    return `other tables have the same topic ${topic}`
  }
  if (table.hasKeyExtension) return 'its keys have a field that is no column (the topic naming strategy adds it)'
  if (keyColumns.length === 0) return 'its events have no key, so that no record can be attributed to a row'
  if (identifyingColumns(table) === null) {
    const names = keyColumns.map(({ name }) => name).join(', ')
    return `the key of its events (${names}) contains no primary key or unique index: several rows may share a key`
  }
  const nullable = keyColumns.find(({ schema }) => schema.isOptional)
  if (nullable !== undefined) return `the column ${nullable.name} of the key of its events may be NULL`
  return null
}
