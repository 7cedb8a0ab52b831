import { parseColumn } from './parse-column.ts'
import { isKeyAhead, parseKey } from './parse-key.ts'
import { noOptions, parseTableOption, skipOtherOption } from './parse-table-options.ts'
import type { ColumnDefinition, CreateTable, KeyDefinition, Period, TableName, TableOptions } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

export interface CreateFlags {
  readonly isTemporary: boolean
  readonly isReplacing: boolean
}

interface TableBody {
  readonly columns: readonly ColumnDefinition[]
  readonly keys: readonly KeyDefinition[]
  readonly periods: readonly Period[]
}

const NO_BODY: TableBody = { columns: [], keys: [], periods: [] }

/**
 * Parses what follows CREATE TABLE:
 *
 *     [IF NOT EXISTS] table { LIKE table | (LIKE table) | [(columns and keys)] [options] [partitions] [query] }
 */
export function parseCreateTable(reader: TokenReader, flags: CreateFlags): CreateTable {
  const isIfNotExists = reader.acceptIfNotExists()
  const table = reader.changedTable()
  if (reader.accept('WAIT')) reader.value('seconds')
  else reader.accept('NOWAIT')
  const head = { tag: 'createTable', table, ...flags, isIfNotExists } as const
  const like = parseLike(reader)
  if (like !== null) {
    return { ...head, like, ...NO_BODY, options: noOptions(), isFromQuery: false, text: reader.text() }
  }
  const body = reader.is('(') && !isQueryAhead(reader, 1) ? parseBody(reader) : NO_BODY
  const { options, isFromQuery } = parseTail(reader)
  if (body === NO_BODY && !isFromQuery) reader.fail('columns or a query')
  return { ...head, like: null, ...body, options, isFromQuery, text: reader.text() }
}

function parseLike(reader: TokenReader): TableName | null {
  if (reader.accept('LIKE')) return reader.tableName()
  if (!reader.accept('(', 'LIKE')) return null
  const table = reader.tableName()
  reader.expect(')')
  return table
}

const QUERY_WORDS: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'TABLE'])

/** A query starts with one of these reserved words, possibly after parentheses. WITH SYSTEM is a table option. */
function isQueryAhead(reader: TokenReader, ahead = 0): boolean {
  let at = ahead
  while (reader.peek(at).keyword === '(') at++
  const { keyword } = reader.peek(at)
  return QUERY_WORDS.has(keyword) || (keyword === 'WITH' && reader.peek(at + 1).keyword !== 'SYSTEM')
}

function parseBody(reader: TokenReader): TableBody {
  const columns: ColumnDefinition[] = []
  const keys: KeyDefinition[] = []
  const periods: Period[] = []
  reader.expect('(')
  do {
    if (reader.is('PERIOD', 'FOR')) periods.push(parsePeriod(reader))
    else if (isKeyAhead(reader)) {
      const key = parseKey(reader)
      if (key !== null) keys.push(key)
    } else {
      const parsed = parseColumn(reader)
      columns.push(parsed.column)
      keys.push(...parsed.keys)
    }
  } while (reader.accept(','))
  reader.expect(')')
  return { columns, keys, periods }
}

/** `PERIOD FOR name (start, end)` */
export function parsePeriod(reader: TokenReader): Period {
  reader.expect('PERIOD', 'FOR')
  const name = reader.name('a period name')
  reader.expect('(')
  const start = reader.columnName()
  reader.expect(',')
  const end = reader.columnName()
  reader.expect(')')
  return { name, start, end }
}

function parseTail(reader: TokenReader): { readonly options: TableOptions; readonly isFromQuery: boolean } {
  const options = noOptions()
  while (!reader.isAtEnd) {
    if (reader.is('AS') || isQueryAhead(reader)) return { options, isFromQuery: true }
    if (reader.is(')')) reader.fail('a table option')
    if (reader.accept('PARTITION', 'BY')) skipPartitions(reader)
    else if (reader.acceptAny(',', 'IGNORE', 'REPLACE') === null && !parseTableOption(reader, options)) {
      skipOtherOption(reader)
    }
  }
  return { options, isFromQuery: false }
}

/** Skips to the query after the partitions, or to the end. Partitions do not change columns. */
function skipPartitions(reader: TokenReader): void {
  while (!reader.isAtEnd && !reader.is('AS') && !isQueryAhead(reader)) {
    if (reader.is('(')) reader.skipParentheses()
    else reader.skip()
  }
}
