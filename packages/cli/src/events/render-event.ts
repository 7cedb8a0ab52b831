import { visibleText } from '@tributary/support'
import type { Palette } from '../terminal/palette.ts'
import type { RowEvent, ShownColumn, StatementEvent } from './row-event.ts'

/**
 * An event for people: a line with operation, table, time and place, then the columns as SQL writes them. What an update
 * changed has a line with - and one with +. Empty for what a snapshot made up.
 */
export function renderEvent(event: RowEvent | StatementEvent, palette: Palette): string {
  if (event.tag === 'statement' && event.isOfSnapshot) return ''
  const lines = event.tag === 'row' ? rowLines(event, palette) : statementLines(event, palette)
  return `${lines.join('\n')}\n`
}

const OPERATIONS = { r: 'row of', c: 'insert into', u: 'update', d: 'delete from', t: 'truncate' } as const

function rowLines(event: RowEvent, palette: Palette): readonly string[] {
  const { op, database, table, seconds, place } = event
  const name = palette.name(visibleText(`${database}.${table}`))
  // oxlint-disable-next-line no-restricted-globals -- formats a time
  const time = seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
  const origin = [time, place].filter((part) => part !== null).join(' ')
  return [
    `${palette.aside('──')} ${OPERATIONS[op]} ${name} ${palette.aside(visibleText(origin))}`,
    ...columnLines(event, palette),
  ]
}

function columnLines({ op, before, after, key }: RowEvent, { good, bad, aside }: Palette): readonly string[] {
  const columns = after ?? before ?? []
  const width = Math.min(Math.max(0, ...columns.map(({ name }) => name.length)), NAME_WIDTH_MAX)
  const line = (sign: string, { name, literal }: ShownColumn): string =>
    `  ${sign} ${visibleText(name).padEnd(width)}  ${shortened(literal)}`
  if (op === 'd') return columns.map((column) => bad(line('-', column)))
  if (op !== 'u') return columns.map((column) => good(line('+', column)))
  return columns.flatMap((column) => {
    const was = before?.find(({ name }) => name === column.name) ?? null
    if (was === null || was.literal === null)
      return [column.literal === null ? aside(line(' ', column)) : good(line('+', column))]
    if (column.literal === null || was.literal === column.literal) {
      const plain = line(' ', was)
      return [key?.includes(column.name) === true ? plain : aside(plain)]
    }
    return [bad(line('-', was)), good(line('+', column))]
  })
}

function shortened(literal: string | null): string {
  if (literal === null) return '(not in the binlog)'
  if (literal.length <= LITERAL_MAX) return visibleText(literal)
  return `${visibleText(literal.slice(0, LITERAL_MAX))}… (${literal.length.toLocaleString('en')} characters)`
}

function statementLines({ database, sql, place }: StatementEvent, { aside, name }: Palette): readonly string[] {
  return [
    `${aside('──')} statement in ${name(visibleText(database))} ${aside(visibleText(place ?? ''))}`,
    ...sql.split('\n').map((line) => `    ${visibleText(line)}`),
  ]
}

/** A longer name would push all values of its row to the right. */
const NAME_WIDTH_MAX = 30
/** The other formats have all of it. */
const LITERAL_MAX = 400
