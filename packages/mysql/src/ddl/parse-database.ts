import { noOptions, parseTableOption, skipOtherOption } from './parse-table-options.ts'
import type { AlterDatabase, CharsetOptions, CreateDatabase, DropDatabase } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

/** Parses what follows CREATE DATABASE: `[IF NOT EXISTS] name [options]`. */
export function parseCreateDatabase(reader: TokenReader, isReplacing: boolean): CreateDatabase {
  const isIfNotExists = reader.acceptIfNotExists()
  const database = reader.name('a database name')
  const options = parseOptions(reader)
  return { tag: 'createDatabase', database, isReplacing, isIfNotExists, options, text: reader.text() }
}

/** Parses what follows ALTER DATABASE: `[name] options`. */
export function parseAlterDatabase(reader: TokenReader): AlterDatabase {
  const database = isOptionAhead(reader) ? null : reader.name('a database name')
  return { tag: 'alterDatabase', database, options: parseOptions(reader), text: reader.text() }
}

/** Parses what follows DROP DATABASE: `[IF EXISTS] name`. */
export function parseDropDatabase(reader: TokenReader): DropDatabase {
  const isIfExists = reader.acceptIfExists()
  return { tag: 'dropDatabase', database: reader.name('a database name'), isIfExists, text: reader.text() }
}

/** CHARSET and COMMENT may be unquoted names of databases; as options they are followed by a value. */
function isOptionAhead(reader: TokenReader): boolean {
  const { keyword } = reader.peek()
  if (keyword === 'DEFAULT' || keyword === 'CHARACTER' || keyword === 'COLLATE') return true
  const following = reader.peek(1)
  const hasValue =
    following.keyword === '=' || following.kind === 'string' || following.kind === 'name' || following.kind === 'word'
  return (keyword === 'CHARSET' || keyword === 'COMMENT') && hasValue && following.keyword !== 'CHARACTER'
}

function parseOptions(reader: TokenReader): CharsetOptions {
  const options = noOptions()
  while (!reader.isAtEnd) if (!parseTableOption(reader, options)) skipOtherOption(reader)
  const { charset, collation } = options
  return { charset, collation }
}
