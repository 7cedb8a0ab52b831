import type { FieldDifference } from '@tributary/rest-api'
import type { JsonObject, JsonValue } from './forms/json-value.ts'
import { normal, type PlannedColumn, type RowTexts, type TablePlan } from './table-plan.ts'

/** The fields of a row and of its record, compared one by one. */
export interface ComparedRow {
  readonly differences: readonly FieldDifference[]
  /** Why fields that differ prove nothing; each reason once. */
  readonly unproven: readonly string[]
}

/**
 * Compares a row of `textExpressions` with the row of a record.
 *
 * @param isUnavailable whether a value stands for one that the binlog did not have
 * @throws NeedsExactNumbers
 */
export function compareRow(
  plan: TablePlan,
  row: RowTexts,
  record: JsonObject,
  isUnavailable: (value: JsonValue) => boolean,
): ComparedRow {
  const differences: FieldDifference[] = []
  const unproven = new Set<string>()
  for (const [i, column] of plan.columns.entries()) {
    const text = row[plan.key.length + i] ?? null
    const value = record[column.field]
    if (value === undefined) {
      unproven.add(`the record is older than the column ${column.name}`)
      continue
    }
    const expected = normal(column.form, text)
    const found = value === null ? null : column.form.ofTopic(value)
    if (expected === found && (value === null) === (found === null)) continue
    if (text !== null && column.form.isUnrepresentable?.(text) === true) {
      unproven.add(`events cannot have some values of the column ${column.name}`)
    } else if (value !== null && isUnavailable(value)) {
      unproven.add(`the binlog did not have the value of the column ${column.name} (binlog_row_image)`)
    } else if (expected === null && value !== null && isDefault(column, value)) {
      unproven.add(`the converter may have replaced NULL by the default of ${column.name} (replace.null.with.default)`)
    } else {
      differences.push(fieldDifference(column.name, expected, found ?? shownValue(value)))
    }
  }
  return { differences, unproven: [...unproven] }
}

/** JsonConverter writes the default of an optional field in place of null, as in Kafka Connect. */
function isDefault({ schema }: PlannedColumn, value: JsonValue): boolean {
  const { defaultValue } = schema
  // A default of bytes or of a struct is not recognized: then the row differs.
  return typeof defaultValue !== 'object' && String(defaultValue) === shownValue(value)
}

/** All fields of a row that only the table or only the topic has. */
export function fieldsOfRow(plan: TablePlan, row: RowTexts): readonly FieldDifference[] {
  return plan.columns.map(({ name, form }, i) => ({
    column: name,
    table: shortened(normal(form, row[plan.key.length + i] ?? null)),
  }))
}

export function fieldsOfRecord(plan: TablePlan, record: JsonObject): readonly FieldDifference[] {
  return plan.columns.map((column) => ({ column: column.name, topic: shortened(shownField(column, record)) }))
}

function shownField({ field, form }: PlannedColumn, record: JsonObject): string | null {
  const value = record[field]
  if (value === undefined || value === null) return null
  return form.ofTopic(value) ?? shownValue(value)
}

function shownValue(value: JsonValue): string | null {
  if (value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Long texts around the place where they begin to differ. */
function fieldDifference(column: string, table: string | null, topic: string | null): FieldDifference {
  const at = table === null || topic === null ? 0 : firstDifference(table, topic)
  return { column, table: shortened(table, at), topic: shortened(topic, at) }
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** Enough to recognize a value. */
const SHOWN_CHARACTERS = 200

function shortened(text: string | null, at = 0): string | null {
  if (text === null || text.length <= SHOWN_CHARACTERS) return text
  const from = Math.max(0, Math.min(at - SHOWN_CHARACTERS / 2, text.length - SHOWN_CHARACTERS))
  const part = text.slice(from, from + SHOWN_CHARACTERS)
  return `${from > 0 ? '…' : ''}${part}${from + SHOWN_CHARACTERS < text.length ? '…' : ''} (${text.length} characters)`
}
