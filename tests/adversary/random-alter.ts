import type { HistoryModel, ModelColumn } from './history-model.ts'
import { quoted } from './table-names.ts'

/** A change of a column list, and its SQL in an ALTER TABLE. */
export interface ColumnChange {
  readonly sql: string
  readonly columns: readonly ModelColumn[]
}

/**
 * A random change; null: there is none of the chosen kind.
 *
 * @param isFirst only the first change of a statement uses names of columns, which the others would change again
 */
export function randomColumnChange(
  model: HistoryModel,
  columns: readonly ModelColumn[],
  isFirst: boolean,
): ColumnChange | null {
  const { random } = model
  const [column, other] = columns.length === 0 ? [] : [random.pick(columns), random.pick(columns)]
  const kind = random()
  if (column === undefined || other === undefined || !isFirst || kind < 0.3) return addition(model, columns, isFirst)
  const word = random() < 0.8 ? 'COLUMN ' : ''
  const rest = columns.filter((each) => each !== column)
  const name = quoted(column.name)
  if (kind < 0.45) return { sql: `DROP ${word}${name}`, columns: rest }
  if (kind < 0.55) {
    // The column keeps its name and loses its values.
    return { sql: `DROP ${word}${name}, ADD ${word}${name} ${column.type}${placement(model, [])}`, columns }
  }
  if (kind < 0.7 && column !== other) {
    const sql = `RENAME COLUMN ${name} TO ${quoted(other.name)}, RENAME COLUMN ${quoted(other.name)} TO ${name}`
    return { sql, columns: columns.map((each) => swapped(each, column, other)) }
  }
  if (kind < 0.85) {
    const type = random() < 0.5 ? column.type : model.newType()
    const sql = `MODIFY ${word}${name} ${type}${placement(model, rest)}`
    return { sql, columns: columns.map((each) => (each === column ? { name: column.name, type } : each)) }
  }
  const unused = model.unused(columns)
  if (unused.length === 0) return null
  const next = random.pick(unused)
  const renamed = columns.map((each) => (each === column ? { ...column, name: next } : each))
  if (random() < 0.5) return { sql: `RENAME COLUMN ${name} TO ${quoted(next)}`, columns: renamed }
  return { sql: `CHANGE ${word}${name} ${quoted(next)} ${column.type}${placement(model, rest)}`, columns: renamed }
}

function addition(model: HistoryModel, columns: readonly ModelColumn[], isFirst: boolean): ColumnChange | null {
  const { random, options } = model
  const unused = model.unused(columns)
  if (unused.length === 0) return null
  const name = random.pick(unused)
  const type = model.newType()
  const added = [...columns, { name, type }]
  const other = unused.find((each) => each !== name)
  if (other !== undefined && random() < 0.1) {
    const second = model.newType()
    return {
      sql: `ADD (${quoted(name)} ${type}, ${quoted(other)} ${second})`,
      columns: [...added, { name: other, type: second }],
    }
  }
  const exists = options.flavor === 'mariadb' && random() < 0.2 ? ' IF NOT EXISTS' : ''
  const suffix = random() < 0.5 ? placement(model, isFirst ? columns : []) : ''
  const sql = `ADD COLUMN${exists} ${quoted(name)} ${type}${suffix}`
  const isTwice = exists !== '' && random() < 0.5
  return { sql: isTwice ? `${sql}, ${sql}` : sql, columns: added }
}

function placement({ random }: HistoryModel, columns: readonly ModelColumn[]): string {
  const kind = random()
  if (kind < 0.3) return ' FIRST'
  if (kind < 0.5) return ' AFTER id'
  return kind < 0.8 && columns.length > 0 ? ` AFTER ${quoted(random.pick(columns).name)}` : ''
}

function swapped(column: ModelColumn, first: ModelColumn, second: ModelColumn): ModelColumn {
  if (column === first) return { ...column, name: second.name }
  return column === second ? { ...column, name: first.name } : column
}
