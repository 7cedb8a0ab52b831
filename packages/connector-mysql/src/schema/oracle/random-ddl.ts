import type { MySqlTable } from '../mysql-table.ts'
import type { Choice } from './choice.ts'
import { randomDefinition, type ServerFlavor } from './random-column.ts'

/** So few that statements interact: swaps, moves, keys that lose columns. */
const NAMES = ['a', 'b', 'c', 'd', 'E', 'f f', 'größe', 'modify']
const KEYS = ['u1', 'u2', 'i1', 'a', 'b_2', 'Z']
const CHARSETS = ['latin1', 'utf8mb4', 'utf8mb3', 'koi8r', 'utf16', 'binary', 'DEFAULT', 'utf8mb4 COLLATE utf8mb4_bin']
const DATABASES = ['c_random', 'c_random_2']
const TABLES = ['t', 't2', 't3']

/** The statements before a sequence, the same for all, so that a sequence repeats on its own. */
export const BEFORE_SEQUENCE: readonly string[] = [
  'CREATE DATABASE IF NOT EXISTS c_random CHARACTER SET utf8mb4',
  'CREATE DATABASE IF NOT EXISTS c_random_2 CHARACTER SET latin1',
  'SET SESSION sql_mode = DEFAULT, collation_server = DEFAULT, explicit_defaults_for_timestamp = DEFAULT',
  'USE c_random',
  'DROP TABLE IF EXISTS t, t2, t3, tmp, c_random_2.t, c_random_2.t2, c_random_2.t3',
  'ALTER DATABASE c_random CHARACTER SET utf8mb4',
  'ALTER DATABASE c_random_2 CHARACTER SET latin1',
]

/** A CREATE TABLE of one of the names of `randomChange`. */
export function randomTable(choice: Choice, flavor: ServerFlavor): string {
  const names = NAMES.slice(0, choice.integer(2, NAMES.length))
  const parts = names.map((name) => `${quoted(name)} ${randomDefinition(choice, flavor, names)}`)
  if (choice.integer(0, 2) === 0) parts.push(`PRIMARY KEY (${keyParts(choice, names)})`)
  if (choice.integer(0, 3) === 0) parts.push(key(choice, flavor, names))
  const options = [
    '',
    '',
    " COMMENT='t'",
    ' CHARSET latin1',
    ' ENGINE=InnoDB, COLLATE utf8mb4_bin',
    ' CHARACTER SET koi8r',
  ]
  return `CREATE TABLE ${choice.pick(TABLES)} (${parts.join(', ')})${choice.pick(options)}`
}

/** A statement about one of the tables, mostly with columns and keys that it has. */
export function randomChange(choice: Choice, flavor: ServerFlavor, tables: readonly MySqlTable[]): string {
  if (tables.length === 0) return randomTable(choice, flavor)
  const table = choice.pick(tables)
  const kind = choice.integer(0, 40)
  if (kind < 30) return alter(choice, flavor, table)
  if (kind < 32) return randomTable(choice, flavor)
  if (kind < 36) return index(choice, flavor, table)
  if (kind < 38) return rename(choice, table, choice.pick(tables))
  if (kind < 39) return copy(choice, flavor, table)
  return choice.pick([
    `ALTER DATABASE ${choice.pick(DATABASES)} CHARACTER SET ${choice.pick(['latin1', 'utf8mb4', 'koi8r'])}`,
    `SET SESSION sql_mode = ${choice.pick(["''", 'DEFAULT', "'ANSI_QUOTES'", "'REAL_AS_FLOAT'", "'NO_BACKSLASH_ESCAPES'"])}`,
    `USE ${choice.pick(DATABASES)}`,
    `DROP TABLE IF EXISTS ${choice.pick(TABLES)}, ${nameOf(table)}`,
  ])
}

function alter(choice: Choice, flavor: ServerFlavor, table: MySqlTable): string {
  const count = choice.pick([1, 1, 1, 2, 2, 3, 4])
  const actions = Array.from({ length: count }, () => action(choice, flavor, table))
  const exists = flavor === 'mariadb' ? choice.pick(['', '', '', ' IF EXISTS', ' NOWAIT']) : ''
  const [head, tail] = exists === ' NOWAIT' ? ['', exists] : [exists, '']
  return `ALTER TABLE${head} ${nameOf(table)}${tail} ${actions.join(', ')}${suffix(choice)}`
}

function suffix(choice: Choice): string {
  if (choice.integer(0, 8) > 0) return ''
  const name = quoted(choice.pick(NAMES))
  return choice.pick([
    ', ALGORITHM=INSTANT',
    ', ALGORITHM=INPLACE, LOCK=NONE',
    ', ALGORITHM=COPY',
    ` PARTITION BY HASH (${name}) PARTITIONS 2`,
    ` PARTITION BY KEY (${name})`,
    ` PARTITION BY RANGE (${name}) (PARTITION p0 VALUES LESS THAN (5), PARTITION modify VALUES LESS THAN MAXVALUE COMMENT 'p')`,
    ' REMOVE PARTITIONING',
    ', ORDER BY 1',
  ])
}

function action(choice: Choice, flavor: ServerFlavor, table: MySqlTable): string {
  const kind = choice.integer(0, 20)
  if (kind < 12) return columnAction(choice, flavor, table)
  if (kind < 17) return keyAction(choice, flavor, table)
  return choice.pick([
    `DEFAULT CHARACTER SET ${choice.pick(CHARSETS)}`,
    `CONVERT TO CHARACTER SET ${choice.pick(CHARSETS)}`,
    `CONVERT TO CHARACTER SET ${choice.pick(CHARSETS)}`,
    "COMMENT='new', ROW_FORMAT=DYNAMIC",
    'ENGINE=InnoDB STATS_PERSISTENT=1',
    'FORCE',
    `ADD CHECK (${quoted(column(choice, table))} IS NOT NULL)`,
    `ADD CONSTRAINT ck${choice.integer(0, 3)} CHECK (1 > 0)`,
    `DROP CONSTRAINT ck${choice.integer(0, 3)}`,
    `RENAME TO ${choice.pick(DATABASES)}.${choice.pick(TABLES)}`,
    'DROP PARTITION p0, modify',
    'TRUNCATE PARTITION p0',
    'COALESCE PARTITION 1',
  ])
}

function columnAction(choice: Choice, flavor: ServerFlavor, table: MySqlTable): string {
  const names = table.columns.map(({ name }) => name)
  const name = quoted(column(choice, table))
  const other = quoted(choice.pick(NAMES))
  const definition = randomDefinition(choice, flavor, names)
  const at = position(choice, table)
  const word = choice.pick(['', 'COLUMN '])
  const isMaria = flavor === 'mariadb' && choice.integer(0, 4) === 0
  const [no, yes] = isMaria ? ['IF NOT EXISTS ', 'IF EXISTS '] : ['', '']
  switch (choice.integer(0, 12)) {
    case 0:
    case 1:
    case 2:
      return `ADD ${word}${no}${other} ${definition}${at}`
    case 3:
      return `ADD ${word}(${other} ${definition}, ${quoted(choice.pick(NAMES))} INT)`
    case 4:
    case 5:
      return `DROP ${word}${yes}${name}`
    case 6:
    case 7:
      return `MODIFY ${word}${yes}${name} ${definition}${at}`
    case 8:
      return `CHANGE ${word}${yes}${name} ${other} ${definition}${at}`
    case 9:
      return `RENAME COLUMN ${yes}${name} TO ${other}`
    case 10:
      return `RENAME COLUMN ${name} TO ${other}, RENAME COLUMN ${other} TO ${name}`
    default:
      return `ALTER ${word}${name} ${choice.pick(['DROP DEFAULT', 'SET DEFAULT 5', "SET DEFAULT 'x'", 'SET DEFAULT NULL', 'SET DEFAULT (1 + 1)'])}`
  }
}

function keyAction(choice: Choice, flavor: ServerFlavor, table: MySqlTable): string {
  const names = table.columns.map(({ name }) => name)
  const existing = (table.keys ?? []).map(({ name }) => name)
  const name = existing.length > 0 && choice.integer(0, 8) > 0 ? choice.pick(existing) : choice.pick(KEYS)
  switch (choice.integer(0, 10)) {
    case 0:
    case 1:
      return `ADD ${choice.pick(['', 'CONSTRAINT ', 'CONSTRAINT pk '])}PRIMARY KEY (${keyParts(choice, names)})`
    case 2:
      return 'DROP PRIMARY KEY'
    case 3:
      return `DROP PRIMARY KEY, ADD PRIMARY KEY (${keyParts(choice, names)})`
    case 4:
    case 5:
    case 6:
      return `ADD ${key(choice, flavor, names)}`
    case 7:
    case 8:
      return `DROP ${choice.pick(['INDEX', 'KEY'])} ${quoted(name)}`
    default:
      return `RENAME ${choice.pick(['INDEX', 'KEY'])} ${quoted(name)} TO ${quoted(choice.pick(KEYS))}`
  }
}

function key(choice: Choice, flavor: ServerFlavor, names: readonly string[]): string {
  const name = choice.pick(['', '', ...KEYS.map((each) => `${quoted(each)} `)])
  const parts = keyParts(choice, names)
  const expression = flavor === 'mysql' ? [`INDEX ${name}((\`${choice.pick(names)}\` + 1))`] : []
  return choice.pick([
    `INDEX ${name}(${parts})`,
    `KEY ${name}(${parts}) COMMENT 'k'`,
    `UNIQUE ${name}(${parts})`,
    `UNIQUE KEY ${name}(${parts})`,
    `CONSTRAINT UNIQUE INDEX ${name}(${parts})`,
    `CONSTRAINT cu UNIQUE (${parts})`,
    `FULLTEXT ${name}(${quoted(choice.pick(names))})`,
    `INDEX ${name}USING BTREE (${parts})`,
    ...expression,
  ])
}

function keyParts(choice: Choice, names: readonly string[]): string {
  const part = (): string => `${quoted(choice.pick(names))}${choice.pick(['', '', '', ' DESC', '(2)'])}`
  return choice.pick([part(), `${part()}, ${part()}`])
}

function index(choice: Choice, flavor: ServerFlavor, table: MySqlTable): string {
  const names = table.columns.map(({ name }) => name)
  const existing = (table.keys ?? []).map(({ name }) => name)
  if (existing.length > 0 && choice.integer(0, 2) === 0) {
    const exists = flavor === 'mariadb' ? choice.pick(['', 'IF EXISTS ']) : ''
    return `DROP INDEX ${exists}${quoted(choice.pick(existing))} ON ${nameOf(table)}`
  }
  const head = flavor === 'mariadb' ? choice.pick(['CREATE', 'CREATE', 'CREATE OR REPLACE']) : 'CREATE'
  return `${head}${choice.pick(['', ' UNIQUE'])} INDEX ${quoted(choice.pick(KEYS))} ON ${nameOf(table)} (${keyParts(choice, names)})`
}

function rename(choice: Choice, table: MySqlTable, other: MySqlTable): string {
  const [from, to] = [nameOf(table), nameOf(other)]
  if (table !== other) return `RENAME TABLE ${from} TO c_random.tmp, ${to} TO ${from}, c_random.tmp TO ${to}`
  const free = `${choice.pick(DATABASES)}.${choice.pick(TABLES)}`
  return choice.pick([`RENAME TABLE ${from} TO ${free}`, `ALTER TABLE ${from} RENAME AS ${free}`])
}

function copy(choice: Choice, flavor: ServerFlavor, table: MySqlTable): string {
  const head = flavor === 'mariadb' ? choice.pick(['CREATE TABLE', 'CREATE OR REPLACE TABLE']) : 'CREATE TABLE'
  const name = `${choice.pick(DATABASES)}.${choice.pick(TABLES)}`
  return `${head} ${name} ${choice.pick(['LIKE', 'AS SELECT * FROM'])} ${nameOf(table)}`
}

/** A column of the table, rarely a name that may not be one. */
function column(choice: Choice, table: MySqlTable): string {
  return choice.integer(0, 12) === 0 ? choice.pick(NAMES) : choice.pick(table.columns).name
}

function position(choice: Choice, table: MySqlTable): string {
  return choice.pick(['', '', '', ' FIRST', ` AFTER ${quoted(column(choice, table))}`])
}

function nameOf({ id }: MySqlTable): string {
  return `${quoted(id.database)}.${quoted(id.table)}`
}

function quoted(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
}
