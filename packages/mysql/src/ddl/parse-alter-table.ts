import { parseColumn, parsePosition } from './parse-column.ts'
import { acceptCharsetKeyword } from './parse-column-type.ts'
import { parsePeriod } from './parse-create-table.ts'
import { parseDefaultValue } from './parse-default-value.ts'
import { isKeyAhead, parseKey } from './parse-key.ts'
import { isEmpty, noOptions, parseTableOption, skipOtherOption } from './parse-table-options.ts'
import type { AlterAction, AlterTable, KeyDefinition } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

const OTHER: AlterAction = { tag: 'other' }

/**
 * Parses what follows ALTER TABLE:
 *
 *     [IF EXISTS] table [WAIT n | NOWAIT] [action [, action] …] [partition action]
 */
export function parseAlterTable(reader: TokenReader): AlterTable {
  const isIfExists = reader.acceptIfExists()
  const table = reader.changedTable()
  if (reader.accept('WAIT')) reader.value('seconds')
  else reader.accept('NOWAIT')
  const actions: AlterAction[] = []
  while (!reader.isAtEnd) {
    if (reader.accept(',')) continue
    if (reader.is(')')) reader.fail('an action')
    parseAction(reader, actions)
  }
  return { tag: 'alterTable', table, isIfExists, actions, text: reader.text() }
}

/** Parses one action; ADD (…, …) yields several. */
function parseAction(reader: TokenReader, actions: AlterAction[]): void {
  switch (reader.peek().keyword) {
    case 'ADD':
      reader.skip()
      parseAdd(reader, actions)
      return
    case 'DROP':
      reader.skip()
      actions.push(parseDrop(reader))
      return
    case 'CHANGE':
      reader.skip()
      parseChange(reader, actions)
      return
    case 'MODIFY':
      reader.skip()
      parseModify(reader, actions)
      return
    case 'ALTER':
      reader.skip()
      actions.push(parseAlterColumn(reader))
      return
    case 'RENAME':
      reader.skip()
      actions.push(parseRename(reader))
      return
    case 'CONVERT':
      reader.skip()
      actions.push(parseConvert(reader))
      return
    default:
      actions.push(parseOptionsOrOther(reader))
  }
}

function parseAdd(reader: TokenReader, actions: AlterAction[]): void {
  if (reader.is('PERIOD', 'FOR')) {
    actions.push({ tag: 'addPeriod', period: parsePeriod(reader) })
  } else if (reader.accept('SYSTEM', 'VERSIONING')) {
    actions.push({ tag: 'setSystemVersioning', isOn: true })
  } else if (reader.is('PARTITION')) {
    skipToEnd(reader, actions)
  } else if (isKeyAhead(reader)) {
    addKey(reader, actions)
  } else {
    reader.accept('COLUMN')
    parseAddColumns(reader, actions)
  }
}

function addKey(reader: TokenReader, actions: AlterAction[]): void {
  const key = parseKey(reader)
  actions.push(key === null ? OTHER : keyAction(key, false))
}

/** `[IF NOT EXISTS] column [position]` or `(column or key, …)` */
function parseAddColumns(reader: TokenReader, actions: AlterAction[]): void {
  const isIfNotExists = reader.acceptIfNotExists()
  if (!reader.accept('(')) {
    const { column, keys } = parseColumn(reader)
    const position = parsePosition(reader)
    const actionsOfKeys = keys.map((key) => keyAction(key, isIfNotExists))
    actions.push({ tag: 'addColumn', column, position, isIfNotExists }, ...actionsOfKeys)
    return
  }
  do {
    if (reader.is('PERIOD', 'FOR')) actions.push({ tag: 'addPeriod', period: parsePeriod(reader) })
    else if (isKeyAhead(reader)) addKey(reader, actions)
    else {
      const { column, keys } = parseColumn(reader)
      const actionsOfKeys = keys.map((key) => keyAction(key, isIfNotExists))
      actions.push({ tag: 'addColumn', column, position: null, isIfNotExists }, ...actionsOfKeys)
    }
  } while (reader.accept(','))
  reader.expect(')')
}

function keyAction(key: KeyDefinition, isConditional: boolean): AlterAction {
  return { tag: 'addKey', key, isConditional }
}

function parseDrop(reader: TokenReader): AlterAction {
  if (reader.accept('PRIMARY', 'KEY')) return { tag: 'dropPrimaryKey' }
  if (reader.accept('SYSTEM', 'VERSIONING')) return { tag: 'setSystemVersioning', isOn: false }
  if (reader.accept('PARTITION')) {
    // A list of names, which may be words such as MODIFY.
    reader.skipUntil()
    return OTHER
  }
  if (reader.accept('PERIOD', 'FOR')) {
    reader.acceptIfExists()
    return { tag: 'dropPeriod', name: reader.name('a period name') }
  }
  if (reader.acceptAny('CHECK', 'FOREIGN') !== null) {
    reader.skipUntil(',')
    return OTHER
  }
  const noun = reader.acceptAny('INDEX', 'KEY', 'CONSTRAINT')
  if (noun !== null) {
    const isIfExists = reader.acceptIfExists()
    return { tag: 'dropKey', name: reader.columnName(), isConstraint: noun === 'CONSTRAINT', isIfExists }
  }
  reader.accept('COLUMN')
  const isIfExists = reader.acceptIfExists()
  const name = reader.columnName()
  reader.acceptAny('RESTRICT', 'CASCADE')
  return { tag: 'dropColumn', name, isIfExists }
}

function parseChange(reader: TokenReader, actions: AlterAction[]): void {
  reader.accept('COLUMN')
  const isIfExists = reader.acceptIfExists()
  const name = reader.columnName()
  changeTo(reader, actions, { name, isIfExists })
}

function parseModify(reader: TokenReader, actions: AlterAction[]): void {
  reader.accept('COLUMN')
  const isIfExists = reader.acceptIfExists()
  // MariaDB in Oracle mode: MODIFY (a INT, b INT).
  const isList = reader.accept('(')
  do changeTo(reader, actions, { name: null, isIfExists })
  while (isList && reader.accept(','))
  if (isList) reader.expect(')')
}

interface ChangedColumn {
  /** Null: MODIFY, which keeps the name. */
  readonly name: string | null
  readonly isIfExists: boolean
}

function changeTo(reader: TokenReader, actions: AlterAction[], { name, isIfExists }: ChangedColumn): void {
  const { column, keys } = parseColumn(reader)
  const position = parsePosition(reader)
  actions.push(
    { tag: 'changeColumn', name: name ?? column.name, column, position, isIfExists },
    ...keys.map((key) => keyAction(key, isIfExists)),
  )
}

/** `ALTER [COLUMN] name {SET DEFAULT value | DROP DEFAULT | SET [IN]VISIBLE}`, or ALTER of an index or a constraint. */
function parseAlterColumn(reader: TokenReader): AlterAction {
  if (reader.acceptAny('INDEX', 'KEY', 'CHECK', 'CONSTRAINT') !== null) {
    reader.skipUntil(',')
    return OTHER
  }
  reader.accept('COLUMN')
  const isIfExists = reader.acceptIfExists()
  const name = reader.columnName()
  if (reader.accept('SET', 'DEFAULT')) {
    return { tag: 'alterColumnDefault', name, value: parseDefaultValue(reader), isIfExists }
  }
  if (reader.accept('DROP', 'DEFAULT')) return { tag: 'alterColumnDefault', name, value: null, isIfExists }
  reader.skipUntil(',')
  return OTHER
}

function parseRename(reader: TokenReader): AlterAction {
  if (reader.accept('COLUMN')) {
    const isIfExists = reader.acceptIfExists()
    const name = reader.columnName()
    reader.expect('TO')
    return { tag: 'renameColumn', name, to: reader.columnName(), isIfExists }
  }
  if (reader.acceptAny('INDEX', 'KEY') !== null) {
    const isIfExists = reader.acceptIfExists()
    const name = reader.name('a key name')
    reader.expect('TO')
    return { tag: 'renameKey', name, to: reader.name('a key name'), isIfExists }
  }
  reader.acceptAny('TO', 'AS', '=')
  return { tag: 'renameTable', to: reader.changedTable() }
}

/**
 * `CONVERT TO CHARACTER SET charset [COLLATE collation]`; MariaDB: `CONVERT PARTITION name TO TABLE table`, `CONVERT TABLE
 * table TO PARTITION definition`, which are the last action.
 */
function parseConvert(reader: TokenReader): AlterAction {
  if (reader.accept('PARTITION')) {
    reader.name('a partition name')
    reader.expect('TO', 'TABLE')
    const to = reader.changedTable()
    reader.skipUntil()
    return { tag: 'partitionToTable', to }
  }
  if (reader.accept('TABLE')) {
    const from = reader.changedTable()
    reader.skipUntil()
    return { tag: 'tableToPartition', from }
  }
  reader.expect('TO')
  if (!acceptCharsetKeyword(reader)) reader.fail('CHARACTER SET')
  reader.accept('=')
  const charset = reader.value('a character set').toLowerCase()
  const collation = reader.accept('COLLATE') ? (reader.accept('='), reader.value('a collation').toLowerCase()) : null
  return { tag: 'convertToCharset', charset, collation }
}

/** First words of partition clauses. Nothing after such a clause changes columns. */
const PARTITION_WORDS: ReadonlySet<string> = new Set([
  'PARTITION',
  'REMOVE',
  'COALESCE',
  'REORGANIZE',
  'EXCHANGE',
  'TRUNCATE',
  'ANALYZE',
  'CHECK',
  'OPTIMIZE',
  'REBUILD',
  'REPAIR',
])

/** Options may follow one another with or without commas: `ENGINE=InnoDB COMMENT 'x', DEFAULT CHARSET utf8mb4`. */
function parseOptionsOrOther(reader: TokenReader): AlterAction {
  if (PARTITION_WORDS.has(reader.peek().keyword)) {
    reader.skipUntil()
    return OTHER
  }
  if (reader.accept('ORDER', 'BY')) {
    skipOrder(reader)
    return OTHER
  }
  const options = noOptions()
  if (!parseTableOption(reader, options)) skipOtherOption(reader)
  return isEmpty(options) ? OTHER : { tag: 'tableOptions', options }
}

/** Skips the columns to sort by, which contain commas; no other action can follow. */
function skipOrder(reader: TokenReader): void {
  reader.skipUntil()
}

function skipToEnd(reader: TokenReader, actions: AlterAction[]): void {
  reader.skipUntil()
  actions.push(OTHER)
}
