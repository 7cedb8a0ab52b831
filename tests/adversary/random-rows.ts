import { columnList, type HistoryModel, type ModelTable } from './history-model.ts'
import { SESSIONS } from './sessions.ts'
import type { SessionVariables, Step } from './steps.ts'
import { isTransactional, isVersioned, quoted } from './table-names.ts'

type RowStep = Step & { readonly kind: 'dml' }

/** A random statement that changes rows. */
export function randomRows(model: HistoryModel): RowStep {
  const { random } = model
  const session = random.integer(0, SESSIONS)
  const table = model.pickTable()
  const set = partialImage(model)
  const kind = random()
  if (kind < 0.06 && model.tables.length > 1) {
    const several = ofTwoTables(model, session, table)
    if (several !== null) return { ...several, ...set }
  }
  return { ...ofOneTable(model, session, table), ...set }
}

function partialImage({ random, options }: HistoryModel): { readonly set?: SessionVariables } {
  if (random() >= options.partial) return {}
  return { set: { binlog_row_image: `'${random.pick(['MINIMAL', 'NOBLOB'])}'` } }
}

function ofOneTable(model: HistoryModel, session: number, { name, columns }: ModelTable): RowStep {
  const { random } = model
  const table = quoted(name)
  const of = (sql: string, more: { readonly file?: string } = {}): RowStep => ({
    kind: 'dml',
    session,
    tables: [name],
    sql,
    ...more,
  })
  const kind = random()
  const list = columnList(columns)
  const old = model.oldId(session)
  if (kind < 0.45) {
    const rows = Array.from({ length: random() < 0.3 ? random.integer(2, 5) : 1 }, () => model.row(session, columns))
    return of(`INSERT INTO ${table} (${list}) VALUES ${rows.join(', ')}`)
  }
  if (kind < 0.49) return of(`REPLACE INTO ${table} (${list}) VALUES ${model.row(session, columns)}`)
  // In a table with versions that is a deletion and an insertion, which the printer does not show apart.
  if (kind < 0.53 && !isVersioned(name)) {
    const values = columns.map((column) => model.value(column))
    return of(`REPLACE INTO ${table} (${list}) VALUES (${[old, ...values].join(', ')})`)
  }
  if (kind < 0.56) {
    const from = columnList(columns, String(model.newId(session)))
    return of(`INSERT INTO ${table} (${list}) SELECT ${from} FROM ${table} WHERE id = ${old} LIMIT 1`)
  }
  if (kind < 0.59) {
    const rows = Array.from({ length: random.integer(1, 4) }, () => model.row(session, columns))
    const file = rows.map(
      (row) => `${row.slice(1, -1).replaceAll(/'|ü/g, '').replaceAll('NULL', '\\N').replaceAll(', ', '\t')}\n`,
    )
    return of(`LOAD DATA INFILE './rows.txt' INTO TABLE ${table} (${list})`, { file: file.join('') })
  }
  const [column] = columns.length === 0 ? [] : [random.pick(columns)]
  if (kind < 0.67) return of(`UPDATE ${table} SET id = ${model.newId(session)} WHERE id = ${old}`)
  if (kind < 0.83 && column !== undefined)
    return of(`UPDATE ${table} SET ${quoted(column.name)} = ${model.value(column)} WHERE id = ${old}`)
  if (kind < 0.87 && column !== undefined) {
    const own = `MOD(id, ${SESSIONS}) = ${old % SESSIONS}`
    return of(`UPDATE ${table} SET ${quoted(column.name)} = ${model.value(column)} WHERE id > ${old - 9} AND ${own}`)
  }
  if (kind < 0.91 && column !== undefined)
    return of(
      `INSERT INTO ${table} (id) VALUES (${old}) ON DUPLICATE KEY UPDATE ${quoted(column.name)} = ${model.value(column)}`,
    )
  return of(`DELETE FROM ${table} WHERE id = ${old}`)
}

/** A statement that changes two tables; of one engine, since a rollback undoes only the changes of InnoDB. */
function ofTwoTables(model: HistoryModel, session: number, first: ModelTable): RowStep | null {
  const { random } = model
  const second = model.pickTable()
  const isPossible =
    second !== first &&
    isTransactional(first.name) === isTransactional(second.name) &&
    ![first, second].some(({ name }) => isVersioned(name))
  const [column, other] = [first.columns[0], second.columns[0]]
  if (!isPossible || column === undefined || other === undefined) return null
  const [one, two] = [quoted(first.name), quoted(second.name)]
  const [id, otherId] = [model.oldId(session), model.oldId(session)]
  const tables = [first.name, second.name]
  if (random() < 0.5) {
    const where = `${one}.id = ${id} AND ${two}.id = ${otherId}`
    return { kind: 'dml', session, tables, sql: `DELETE ${one}, ${two} FROM ${one} JOIN ${two} WHERE ${where}` }
  }
  const sets = [
    `${one}.${quoted(column.name)} = ${model.value(column)}`,
    `${two}.${quoted(other.name)} = ${model.value(other)}`,
  ]
  const sql = `UPDATE ${one}, ${two} SET ${sets.join(', ')} WHERE ${one}.id = ${id} AND ${two}.id = ${otherId}`
  return { kind: 'dml', session, tables, sql }
}
