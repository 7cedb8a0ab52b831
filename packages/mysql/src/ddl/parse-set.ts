import { ignored } from './parse-other.ts'
import type { SetVariables, Statement } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

const SCOPES: readonly string[] = ['GLOBAL', 'SESSION', 'LOCAL', 'PERSIST', 'PERSIST_ONLY']
const OTHER_SETS: ReadonlySet<string> = new Set(['PASSWORD', 'ROLE', 'DEFAULT', 'RESOURCE', 'TRANSACTION'])

/**
 *     SET variable = value [, …]
 *     SET NAMES charset [COLLATE collation]
 *     SET {CHARACTER SET | CHARSET} charset
 *     variable: [GLOBAL|SESSION|…] name | @@[scope.]name | @name
 */
export function parseSet(reader: TokenReader): Statement {
  if (OTHER_SETS.has(reader.peek(1).keyword)) return ignored(reader)
  reader.expect('SET')
  const variables: SetVariables['variables'][number][] = []
  do {
    if (!reader.isAtEnd) variables.push(parseAssignment(reader))
    reader.skipUntil(',')
  } while (reader.accept(','))
  return { tag: 'setVariables', variables, text: reader.text() }
}

function parseAssignment(reader: TokenReader): SetVariables['variables'][number] {
  if (reader.accept('NAMES') || reader.accept('CHARACTER', 'SET') || reader.accept('CHARSET')) {
    return { name: 'names', value: valueAhead(reader) }
  }
  const name = parseVariable(reader)
  if (!reader.accept(':', '=')) reader.accept('=')
  return { name, value: valueAhead(reader) }
}

/** The name of a user variable keeps its sign, so that @character_set_server differs from the server variable. */
function parseVariable(reader: TokenReader): string {
  let signs = ''
  while (reader.accept('@')) signs += '@'
  if (reader.acceptAny(...SCOPES) !== null) reader.accept('.')
  let name = reader.next().value.toLowerCase()
  while (reader.accept('.')) name = reader.next().value.toLowerCase()
  return signs === '@' ? `@${name}` : name
}

/** The value when it is a word, name or literal; '' for an expression. */
function valueAhead(reader: TokenReader): string {
  const { kind, value } = reader.peek()
  return kind === 'symbol' ? '' : value
}
