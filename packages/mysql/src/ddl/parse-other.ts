import type { Dml, Ignored, TableName, TransactionControl } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

const DML_VERBS: ReadonlySet<string> = new Set([
  'INSERT',
  'REPLACE',
  'UPDATE',
  'DELETE',
  'LOAD',
  'SELECT',
  'WITH',
  'CALL',
  'DO',
  'VALUES',
  'TABLE',
])

const DML_ADVERBS: readonly string[] = [
  'LOW_PRIORITY',
  'DELAYED',
  'HIGH_PRIORITY',
  'IGNORE',
  'QUICK',
  'INTO',
  'FROM',
  'ONLY',
]

export function isDml(keyword: string): boolean {
  return DML_VERBS.has(keyword)
}

/** A statement that changes or reads rows; only its first words are looked at. */
export function parseDml(reader: TokenReader): Dml {
  const verb = reader.next().keyword
  return { tag: 'dml', verb, table: dmlTable(reader, verb), text: reader.text() }
}

function dmlTable(reader: TokenReader, verb: string): TableName | null {
  if (verb === 'LOAD') return loadTable(reader)
  if (verb !== 'INSERT' && verb !== 'REPLACE' && verb !== 'UPDATE' && verb !== 'DELETE') return null
  while (reader.acceptAny(...DML_ADVERBS) !== null);
  const { kind } = reader.peek()
  if (kind !== 'word' && kind !== 'name') return null
  const first = reader.next().value
  if (!reader.accept('.')) return { database: null, table: first }
  const { kind: second } = reader.peek()
  return second === 'word' || second === 'name' ? { database: first, table: reader.next().value } : null
}

/** `LOAD DATA … INTO TABLE table`, within the first words. */
function loadTable(reader: TokenReader): TableName | null {
  const wordsMax = 12
  for (let i = 0; i < wordsMax && !reader.isAtEnd; i++) {
    if (!reader.accept('INTO', 'TABLE')) reader.skip()
    else if (reader.peek().kind === 'word' || reader.peek().kind === 'name') return reader.tableName()
  }
  return null
}

/** BEGIN, COMMIT, SAVEPOINT, XA and their like; null for all else. */
export function parseTransaction(reader: TokenReader): TransactionControl | null {
  const action = transactionAction(reader)
  return action === null ? null : { tag: 'transaction', action, text: reader.text() }
}

function transactionAction(reader: TokenReader): string | null {
  // MariaDB: BEGIN NOT ATOMIC opens a block of statements, not a transaction.
  if (reader.is('BEGIN', 'NOT')) return null
  if (reader.accept('BEGIN') || reader.accept('START', 'TRANSACTION')) return 'BEGIN'
  if (reader.accept('COMMIT')) return 'COMMIT'
  if (reader.accept('SAVEPOINT')) return 'SAVEPOINT'
  if (reader.accept('RELEASE', 'SAVEPOINT')) return 'RELEASE SAVEPOINT'
  if (reader.accept('ROLLBACK')) {
    reader.accept('WORK')
    return reader.is('TO') ? 'ROLLBACK TO SAVEPOINT' : 'ROLLBACK'
  }
  if (!reader.accept('XA')) return null
  const { keyword } = reader.next()
  return `XA ${keyword === 'BEGIN' ? 'START' : keyword}`
}

/** Words of CREATE, ALTER and DROP that say what the statement is about. */
const OBJECTS: ReadonlySet<string> = new Set([
  'EVENT',
  'FUNCTION',
  'INSTANCE',
  'LIBRARY',
  'LOGFILE',
  'PACKAGE',
  'PREPARE',
  'PROCEDURE',
  'REFERENCE',
  'RESOURCE',
  'ROLE',
  'SEQUENCE',
  'SERVER',
  'TABLESPACE',
  'TRIGGER',
  'USER',
  'VIEW',
])

/** How far the word that names the object may stand behind CREATE: `CREATE OR REPLACE ALGORITHM = … DEFINER = … SQL SECURITY … VIEW`. */
const OBJECT_WORDS_MAX = 24

/** A statement that is told by its first words alone. */
export function ignored(reader: TokenReader): Ignored {
  const { keyword, value } = reader.peek()
  const verb = keyword === '' ? value : keyword
  const isAboutObject = verb === 'CREATE' || verb === 'ALTER' || verb === 'DROP'
  const object = isAboutObject ? findObject(reader) : null
  return { tag: 'ignored', what: object === null ? verb : `${verb} ${object}`, text: reader.text() }
}

function findObject(reader: TokenReader): string | null {
  for (let i = 1; i <= OBJECT_WORDS_MAX; i++) {
    const { kind, keyword } = reader.peek(i)
    if (kind === 'end') return null
    if (OBJECTS.has(keyword)) return keyword
  }
  return null
}
