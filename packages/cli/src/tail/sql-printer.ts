import { quoted } from '@tributary/connector-mysql'
import type { RecordPrinter } from '@tributary/runtime'
import { cliErrors } from '../errors.ts'
import type { RowEvent, ShownColumn, StatementEvent } from '../events/row-event.ts'
import { viewEvent } from './event-view.ts'

export interface SqlPrinterOptions {
  /** Whether the server computes the values of a column. */
  readonly isGenerated: (database: string, table: string, column: string) => boolean
}

/**
 * The session settings that the literals need. In strict mode the target refuses a value that it cannot store; invalid
 * dates are allowed, because the source may contain them.
 */
const HEADER = [
  '-- Statements that repeat the changes, for the mysql or mariadb client.',
  'SET NAMES utf8mb4;',
  "SET time_zone = '+00:00';",
  "SET sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';",
  '',
].join('\n')

/** The number of the invalid value of an ENUM, which a strict server does not accept. */
const INVALID_MEMBER = '(0)'
const LENIENT = "SET sql_mode = 'ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';"
const STRICT = "SET sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';"

/** Prints the statement that repeats each change, one on a line. */
export function sqlPrinter(options: SqlPrinterOptions): RecordPrinter {
  let isBegun = false
  return (record, out) => {
    const event = viewEvent(record)
    if (event === null) return
    const text = event.tag === 'row' ? rowStatement(event, options) : otherStatement(event)
    if (text === null) return
    out.write(Buffer.from(`${isBegun ? '' : HEADER}${text}\n`))
    isBegun = true
  }
}

/** The snapshot makes up statements, which would remove the tables of the target. */
function otherStatement({ database, sql, isOfSnapshot, session, seconds }: StatementEvent): string | null {
  if (isOfSnapshot) return null
  const isAboutDatabase = /^\s*(create|drop|alter)\s+(database|schema)\b/i.test(sql)
  const use = database === '' || isAboutDatabase ? '' : `USE ${quoted(database)};\n`
  // A statement may end with a comment.
  const settings = [session, seconds === null ? null : `timestamp = ${Math.floor(seconds)}`].filter(
    (part) => part !== null,
  )
  const before = settings.length === 0 ? '' : `SET ${settings.join(', ')};\n`
  const after = settings.length === 0 ? '' : `\nSET ${settings.flatMap(resetOf).join(', ')};`
  return `${use}${before}${sql.replace(/;?\s*$/, '')}\n;${after}`
}

/** The assignments that undo others. */
function resetOf(settings: string): readonly string[] {
  return [...settings.matchAll(/(?:^|, )(\w+) = /g)].map(([, name = '']) => `${name} = ${OWN[name] ?? 'DEFAULT'}`)
}

/** What the literals need; DEFAULT is the target's own. */
const OWN: Readonly<Record<string, string>> = {
  time_zone: "'+00:00'",
  sql_mode: "'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO'",
}

function rowStatement(event: RowEvent, options: SqlPrinterOptions): string | null {
  const name = `${quoted(event.database)}.${quoted(event.table)}`
  const isComputed = ({ name: column }: ShownColumn): boolean =>
    options.isGenerated(event.database, event.table, column)
  const isSet = (column: ShownColumn): boolean => column.literal !== null && !isComputed(column)
  const { before, after } = event
  switch (event.op) {
    case 't':
      return `TRUNCATE TABLE ${name};`
    case 'r':
    case 'c':
      return insert(name, (after ?? []).filter(isSet))
    case 'd':
      return `DELETE FROM ${name} WHERE ${condition(event, before ?? [], isComputed)};`
    case 'u': {
      const old = new Map((before ?? []).map((column) => [column.name, column.literal]))
      const changed = (after ?? []).filter((column) => isSet(column) && old.get(column.name) !== column.literal)
      if (changed.length === 0) return null
      const where = condition(event, before ?? [], isComputed)
      return leniently(changed, `UPDATE ${name} SET ${changed.map(assignment).join(', ')} WHERE ${where};`)
    }
  }
}

function insert(name: string, columns: readonly ShownColumn[]): string {
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const values = columns.map(({ literal }) => literal).join(', ')
  return leniently(columns, `INSERT INTO ${name} (${names}) VALUES (${values});`)
}

function leniently(columns: readonly ShownColumn[], statement: string): string {
  return columns.some(({ literal }) => literal === INVALID_MEMBER) ? `${LENIENT} ${statement} ${STRICT}` : statement
}

function assignment({ name, literal }: ShownColumn): string {
  return `${quoted(name)} = ${literal}`
}

/**
 * Finds the row by its key; without a key, one row by all columns.
 *
 * @throws TAIL_ROW: it would be any row
 */
function condition(
  { key, database, table, place }: RowEvent,
  columns: readonly ShownColumn[],
  isComputed: (column: ShownColumn) => boolean,
): string {
  const ofKey = key === null ? [] : columns.filter(({ name, literal }) => literal !== null && key.includes(name))
  if (key !== null && ofKey.length === key.length) return ofKey.map(equals).join(' AND ')
  const stored = columns.filter((column) => !isComputed(column))
  if (stored.length === 0 || stored.some(({ literal }) => literal === null)) {
    throw cliErrors.TAIL_ROW({ table: `${database}.${table}`, place: place ?? 'a row of the snapshot' })
  }
  return `${stored.map(isSame).join(' AND ')} LIMIT 1`
}

function equals({ name, literal }: ShownColumn): string {
  return `${quoted(name)} = ${literal}`
}

/** Compares bytes, because a collation may treat different texts as equal. */
function isSame({ name, literal, form }: ShownColumn): string {
  const column = quoted(name)
  if (literal === null || literal === 'NULL') return `${column} IS NULL`
  const encoded = /^_(?!utf8mb4 )\w+ (x'[0-9a-f]*')$/.exec(literal)
  if (encoded !== null) return `CAST(${column} AS BINARY) = ${encoded[1] ?? ''}`
  if (form === 'io.debezium.data.Json') return `${column} = CAST(${literal} AS JSON)`
  if (form === 'io.debezium.data.FloatVector') return `CAST(${column} AS BINARY) = ${literal}`
  if (form === 'string') return `CAST(CONVERT(${column} USING utf8mb4) AS BINARY) = CAST(${literal} AS BINARY)`
  return `${column} = ${literal}`
}
