import type { Dml, Ignored, TableName, TransactionStatement } from './statement.ts'
import type { TokenReader } from './token-reader.ts'
import { readTransactionControl } from './transaction-control.ts'

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

/** Parses the first words of a statement that changes or reads rows. */
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

/** Finds `INTO TABLE table` in the first words of LOAD DATA. */
function loadTable(reader: TokenReader): TableName | null {
  const wordsMax = 12
  for (let i = 0; i < wordsMax && !reader.isAtEnd; i++) {
    if (!reader.accept('INTO', 'TABLE')) reader.skip()
    else if (reader.peek().kind === 'word' || reader.peek().kind === 'name') return reader.tableName()
  }
  return null
}

/** Returns null when the statement is not transaction control. */
export function parseTransaction(reader: TokenReader): TransactionStatement | null {
  const control = readTransactionControl(reader)
  return control === null ? null : { tag: 'transaction', control, text: reader.text() }
}

/** Words that name the kind of object of CREATE, ALTER and DROP. */
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

/** Tokens before that word: `CREATE OR REPLACE ALGORITHM = … DEFINER = … SQL SECURITY … VIEW`. */
const OBJECT_WORDS_MAX = 24

/** A statement that is described by its first words only. */
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
