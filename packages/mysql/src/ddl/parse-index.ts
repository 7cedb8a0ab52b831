import { parseIndexKind, parseKeyParts, parseKeyType } from './parse-key.ts'
import type { CreateIndex, DropIndex } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

/**
 * Parses what follows CREATE: `[UNIQUE|FULLTEXT|SPATIAL|VECTOR] INDEX [IF NOT EXISTS] name [USING type] ON table
 * (parts) …`.
 */
export function parseCreateIndex(reader: TokenReader, isReplacing: boolean): CreateIndex {
  const kind = parseIndexKind(reader)
  const isIfNotExists = reader.acceptIfNotExists()
  const name = reader.name('an index name')
  parseKeyType(reader)
  reader.expect('ON')
  const table = reader.changedTable()
  if (reader.accept('WAIT')) reader.value('seconds')
  else reader.accept('NOWAIT')
  const parts = parseKeyParts(reader)
  return {
    tag: 'createIndex',
    table,
    key: { kind, name, parts, isIfNotExists },
    isReplacing,
    text: reader.text(),
  }
}

/** Parses what follows DROP INDEX: `[IF EXISTS] name ON table …`. */
export function parseDropIndex(reader: TokenReader): DropIndex {
  const isIfExists = reader.acceptIfExists()
  const name = reader.name('an index name')
  reader.expect('ON')
  return { tag: 'dropIndex', table: reader.changedTable(), name, isIfExists, text: reader.text() }
}
