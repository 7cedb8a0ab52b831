import { parseReferences } from './parse-column.ts'
import type { KeyDefinition, KeyKind, KeyPart } from './statement.ts'
import type { Token } from './token.ts'
import type { TokenReader } from './token-reader.ts'

/** Words that both servers reserve: an unquoted one is not the name of a column. */
const RESERVED: ReadonlySet<string> = new Set([
  'CHECK',
  'CONSTRAINT',
  'FOREIGN',
  'FULLTEXT',
  'INDEX',
  'KEY',
  'PRIMARY',
  'SPATIAL',
  'UNIQUE',
])

/** True when a key or constraint follows, not a column definition. */
export function isKeyAhead(reader: TokenReader): boolean {
  const { keyword } = reader.peek()
  if (RESERVED.has(keyword)) return true
  // VECTOR may also be the name of a column; then a type follows.
  return keyword === 'VECTOR' && (reader.peek(1).keyword === '(' || isIndexWord(reader.peek(1)))
}

function isIndexWord({ keyword }: Token): boolean {
  return keyword === 'INDEX' || keyword === 'KEY'
}

/**
 * Parses a key or constraint of a table, up to the comma or parenthesis that follows. Returns null for a CHECK.
 *
 *     [CONSTRAINT [symbol]] {PRIMARY KEY | UNIQUE [INDEX|KEY] | FOREIGN KEY | CHECK} [name] [USING type] (parts) …
 *     {INDEX|KEY | FULLTEXT [INDEX|KEY] | SPATIAL [INDEX|KEY] | VECTOR [INDEX|KEY]} [name] [USING type] (parts) …
 */
export function parseKey(reader: TokenReader): KeyDefinition | null {
  const symbol = parseSymbol(reader)
  if (reader.accept('CHECK')) {
    reader.skipUntil(',')
    return null
  }
  const kind = parseKeyKind(reader)
  const isIfNotExists = reader.acceptIfNotExists()
  const name = parseKeyName(reader)
  const parts = parseKeyParts(reader)
  if (kind === 'foreign') {
    reader.expect('REFERENCES')
    parseReferences(reader)
  }
  reader.skipUntil(',')
  return { kind, name: kind === 'foreign' ? (symbol ?? name) : (name ?? symbol), parts, isIfNotExists }
}

function parseSymbol(reader: TokenReader): string | null {
  if (!reader.accept('CONSTRAINT')) return null
  // MariaDB: ADD CONSTRAINT IF NOT EXISTS symbol.
  reader.acceptIfNotExists()
  return RESERVED.has(reader.peek().keyword) ? null : reader.columnName()
}

function parseKeyKind(reader: TokenReader): KeyKind {
  if (reader.accept('PRIMARY')) {
    reader.expect('KEY')
    return 'primary'
  }
  if (reader.accept('FOREIGN')) {
    reader.expect('KEY')
    return 'foreign'
  }
  return parseIndexKind(reader)
}

/** `[UNIQUE|FULLTEXT|SPATIAL|VECTOR] [INDEX|KEY]` */
export function parseIndexKind(reader: TokenReader): KeyKind {
  const adjective = reader.acceptAny('UNIQUE', 'FULLTEXT', 'SPATIAL', 'VECTOR')
  const hasNoun = reader.acceptAny('INDEX', 'KEY') !== null
  if (adjective === null && !hasNoun) reader.fail('a key')
  switch (adjective) {
    case 'UNIQUE':
      return 'unique'
    case 'FULLTEXT':
      return 'fulltext'
    case 'SPATIAL':
      return 'spatial'
    default:
      return 'index'
  }
}

function parseKeyName(reader: TokenReader): string | null {
  const name = reader.is('(') || isTypeAhead(reader) ? null : reader.name('a key name')
  parseKeyType(reader)
  return name
}

/** `USING BTREE` or `TYPE BTREE`. TYPE may also be the name of a key; then a parenthesis follows. */
function isTypeAhead(reader: TokenReader): boolean {
  return reader.is('USING') || (reader.is('TYPE') && reader.peek(1).kind === 'word')
}

export function parseKeyType(reader: TokenReader): void {
  if (reader.acceptAny('USING', 'TYPE') !== null) reader.name('an index type')
}

/**
 * `(part, …)`, part: `column [(length)] [ASC|DESC]` or `(expression) [ASC|DESC]`; MariaDB: `period WITHOUT OVERLAPS`.
 */
export function parseKeyParts(reader: TokenReader): readonly KeyPart[] {
  const parts: KeyPart[] = []
  reader.expect('(')
  do {
    parts.push(parseKeyPart(reader))
    reader.acceptAny('ASC', 'DESC')
  } while (reader.accept(','))
  reader.expect(')')
  return parts
}

function parseKeyPart(reader: TokenReader): KeyPart {
  if (reader.is('(')) {
    reader.skipParentheses()
    return { tag: 'expression' }
  }
  const column = reader.columnName()
  if (reader.accept('WITHOUT', 'OVERLAPS')) return { tag: 'period', period: column }
  if (!reader.accept('(')) return { tag: 'column', column, prefixLength: null }
  const prefixLength = Math.trunc(Number(reader.value('a length')))
  reader.expect(')')
  return { tag: 'column', column, prefixLength }
}
