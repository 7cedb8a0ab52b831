import type { RowDifference, Verification, VerifiedTable } from '@tributary/rest-api'
import { visibleText } from '@tributary/support'
import type { Palette } from '../terminal/palette.ts'
import { type Cell, textTable } from '../terminal/text-table.ts'

/** What a run is doing, in one line that changes when it does something else; empty before it has begun. */
export function progressLine({ tables }: Verification): string {
  const running = tables.find(({ state }) => state === 'RUNNING')
  if (running === undefined) return ''
  const number = tables.indexOf(running) + 1
  const doing = running.note ?? 'beginning'
  return `table ${number} of ${tables.length}, ${running.table}: ${doing}`
}

/** The result for people: a table, then each difference. */
export function renderVerification(run: Verification, palette: Palette): string {
  const heads = ['TABLE', 'RESULT', 'ROWS', 'EQUAL', 'MISSING', 'EXTRA', 'DIFFERENT', 'NO TOMBSTONE', 'UNPROVEN']
  const table = textTable(
    heads,
    run.tables.map((each) => cellsOf(each, palette)),
    palette,
  )
  const error = run.error === null ? '' : `${palette.bad(run.state)} ${visibleText(run.error)}\n`
  return [table, ...run.tables.map((each) => detailsOf(each)), error].join('')
}

function cellsOf(table: VerifiedTable, palette: Palette): readonly Cell[] {
  const unproven = table.unproven.reduce((sum, { rows }) => sum + rows, 0)
  const counts = [table.rows_read, table.rows_equal, table.missing, table.extra, table.different]
  return [
    table.table,
    [table.state, paintOf(table, palette)],
    ...[...counts, table.without_tombstone, unproven].map(String),
  ]
}

function paintOf({ state }: VerifiedTable, palette: Palette): (text: string) => string {
  if (state === 'EQUAL') return palette.good
  return state === 'DIFFERENT' ? palette.bad : palette.doubtful
}

function detailsOf(table: VerifiedTable): string {
  const lines = [
    ...(table.position === null ? [] : [`at ${table.position}`]),
    ...(table.note === null ? [] : [table.note]),
    ...table.excluded_columns.map(({ column, reason }) => `not compared: column ${column}: ${reason}`),
    ...table.unproven.map(({ reason, rows }) => `not proved for ${rows} rows: ${reason}`),
    ...table.differences.map(differenceText),
    ...restText(table),
  ]
  if (lines.length === 0) return ''
  return ['', table.table, ...lines.map((line) => `  ${line}`), ''].map((line) => visibleText(line)).join('\n')
}

function restText(table: VerifiedTable): readonly string[] {
  const all = table.missing + table.extra + table.different + table.without_tombstone
  const rest = all - table.differences.length
  return rest > 0 ? [`and ${rest} more differences`] : []
}

const KINDS: Readonly<Record<RowDifference['kind'], string>> = {
  missing: 'missing in the topic',
  extra: 'only in the topic',
  different: 'different',
  without_tombstone: 'deleted, without a tombstone',
}

function differenceText({ kind, key, fields, partition, offset }: RowDifference): string {
  const keyText = Object.entries(key)
    .map(([name, value]) => `${name}=${shown(value)}`)
    .join(', ')
  const place = offset === null ? '' : ` (partition ${partition}, offset ${offset})`
  const changes =
    kind === 'different'
      ? fields.map((each) => `; ${each.column}: table ${shown(each.table)}, topic ${shown(each.topic)}`)
      : []
  return `${KINDS[kind]}: ${keyText}${place}${changes.join('')}`
}

function shown(value: string | null | undefined): string {
  return value === undefined ? 'nothing' : value === null ? 'NULL' : JSON.stringify(value)
}
