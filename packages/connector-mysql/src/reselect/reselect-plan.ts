import {
  type ConfigMap,
  type ConnectValue,
  EncodedText,
  ownField,
  type Schema,
  type Struct,
  StructDerivation,
} from '@tributary/connect-api'
import type { ColumnMask } from '@tributary/connector-kit'
import type { ColumnTarget } from '@tributary/mysql'
import { isReselected, type ReselectOptions } from '../post-processors/reselect-options.ts'
import { columnTypeOf } from '../schema/column-type-of.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import { selectExpression } from '../tables/select-expression.ts'
import type { BinaryMode, ValueOptions } from '../values/value-options.ts'
import { type KeyColumn, keyLiteral } from './key-literal.ts'

/** A column that is read again. */
export interface ReselectedField {
  /** Of the field in values. */
  readonly index: number
  readonly expression: string
  readonly target: ColumnTarget<ConnectValue>
  readonly mask: ColumnMask | null
}

/** A column that finds the row, and where an event has its value. */
interface KeyPart extends KeyColumn {
  /** In backquotes. */
  readonly column: string
  readonly from: 'key' | 'after'
  readonly index: number
  /** As a text, the value that zero dates become: the row with that date is another one. Null: the type has none. */
  readonly substitute: string | null
}

/** How the rows of one version of a table are read again. */
export interface ReselectPlan {
  readonly table: CapturedTable
  /** `database.table` in backquotes. */
  readonly name: string
  /** By the index of the field in values. */
  readonly fields: ReadonlyMap<number, ReselectedField>
  /** Null: events do not have all values that would find the row. */
  readonly keyParts: readonly KeyPart[] | null
}

export interface PlanOptions {
  readonly options: ReselectOptions
  readonly binary: BinaryMode
}

export function reselectPlan(table: CapturedTable, { options, binary }: PlanOptions): ReselectPlan {
  const { id, columns } = table.table
  const { valueSchema, valueIndexes, mask } = table.schema
  const fields = new Map<number, ReselectedField>()
  for (const { index } of valueSchema.fields) {
    const rowIndex = valueIndexes === null ? index : (valueIndexes[index] ?? -1)
    const [column, mapping] = [columns[rowIndex], table.mappings[rowIndex] ?? null]
    if (column === undefined || mapping === null) continue
    if (!isReselected(options, `${id.toString()}:${column.name}`)) continue
    const expression = selectExpression(quoted(column.name), mapping)
    fields.set(index, { index, expression, target: mapping.target, mask: mask?.maskOf(index) ?? null })
  }
  const name = `${quoted(id.database)}.${quoted(id.table)}`
  return { table, name, fields, keyParts: keyPartsOf(table, options, binary) }
}

/** Whether a post processor reads a field when the binlog does not have its value. */
export function readsAgain(
  table: CapturedTable,
  field: number,
  { postProcessors, values: { binary }, properties }: ReadsAgainOptions,
): boolean {
  if (table.schema.keySchema === null || table.table.id.toString() === properties['signal.data.collection'])
    return false
  return postProcessors.some((options) => {
    if (!options.unavailableValues) return false
    const { fields, keyParts } = reselectPlan(table, { options, binary })
    return fields.has(field) && keyParts !== null
  })
}

export interface ReadsAgainOptions {
  readonly postProcessors: readonly ReselectOptions[]
  readonly values: Pick<ValueOptions, 'binary'>
  readonly properties: ConfigMap
}

function keyPartsOf(table: CapturedTable, { usesEventKey }: ReselectOptions, binary: BinaryMode): KeyPart[] | null {
  const { columns, primaryKeyColumnNames } = table.table
  const { keyIndexes } = table.schema
  const rowIndexes = usesEventKey
    ? keyIndexes
    : primaryKeyColumnNames.map((name) => columns.findIndex((column) => column.name === name))
  const parts = rowIndexes.map((rowIndex) => keyPartOf(table, rowIndex, binary))
  const found = parts.filter((part) => part !== null)
  return found.length === 0 || found.length < parts.length ? null : found
}

/**
 * Keys are never masked, so a column of the key is taken from there. Null for a column that a converter changes: its
 * form may be that of another row. In a charset with several codes of one text, the bytes of the text find the row.
 */
function keyPartOf({ table, mappings, schema }: CapturedTable, rowIndex: number, binary: BinaryMode): KeyPart | null {
  const column = table.columns[rowIndex]
  const mapping = mappings[rowIndex] ?? null
  if (column === undefined || mapping === null) return null
  const charset = mapping.target.kind === 'text' ? (mapping.target.charset ?? null) : null
  if (mapping.isLossy === true && charset?.isLossy !== true) return null
  const common = {
    column: quoted(column.name),
    type: columnTypeOf(column),
    charset,
    binary,
    substitute: substituteOf(mapping.target),
  }
  const inKey = schema.keyIndexes.indexOf(rowIndex)
  const ofKey = schema.keySchema?.fields[inKey]?.schema
  if (ofKey !== undefined) return { ...common, schema: ofKey, from: 'key', index: inKey }
  const inValue = schema.valueIndexes === null ? rowIndex : schema.valueIndexes.indexOf(rowIndex)
  const ofValue = schema.valueSchema.fields[inValue]?.schema
  if (ofValue === undefined || (schema.mask?.maskOf(inValue) ?? null) !== null) return null
  return { ...common, schema: ofValue, from: 'after', index: inValue }
}

/** The form of dates and times that events cannot represent, as a text; null: the type has no such values. */
function substituteOf(target: ColumnTarget<ConnectValue>): string | null {
  switch (target.kind) {
    case 'date':
      return textOf(target.of(0))
    case 'time':
      return textOf(target.of(BEYOND_TIME_MICROS))
    case 'datetime':
    case 'timestamp':
      return textOf(target.of(0, 0))
    default:
      return null
  }
}

function textOf(value: ConnectValue): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof EncodedText) return value.toString()
  return null
}

/** No TIME is that early, so a form that has every TIME yields a value that no row has. */
const BEYOND_TIME_MICROS = -1e15

/** The statement that reads fields of the row of an event; null when its key is not exact enough to find the row. */
export function reselectSql(
  { name, keyParts }: ReselectPlan,
  fields: readonly ReselectedField[],
  row: { readonly key: Struct; readonly after: Struct },
): string | null {
  if (keyParts === null) return null
  const conditions: string[] = []
  for (const part of keyParts) {
    const value = row[part.from].at(part.index)
    const isSubstitute = part.substitute !== null && textOf(value) === part.substitute
    const literal = isSubstitute ? null : keyLiteral(part, value)
    if (literal === null) return null
    conditions.push(`${part.column} = ${literal}`)
  }
  const expressions = fields.map(({ expression }) => expression).join(', ')
  return `SELECT ${expressions} FROM ${name} WHERE ${conditions.join(' AND ')} LIMIT 1`
}

/** How a struct gets other values for some of its fields: they are the own values, in this order. */
export function replacement(schema: Schema, indexes: readonly number[]): StructDerivation {
  const sources = schema.fields.map(({ index }) => {
    const own = indexes.indexOf(index)
    return own < 0 ? index : ownField(own)
  })
  return new StructDerivation(schema, sources)
}
