import { columnList, type HistoryModel, type ModelColumn, type ModelTable } from './history-model.ts'
import { randomColumnChange } from './random-alter.ts'
import { SESSIONS } from './sessions.ts'
import type { SessionVariables, Step } from './steps.ts'
import { spelled } from './spelling.ts'
import { kindOf, quoted, type TableKind } from './table-names.ts'

/** A step, and the tables once the server has accepted it. */
export interface Planned {
  readonly step: Step
  readonly tables: readonly ModelTable[]
}

/** A random statement that defines tables. */
export function randomDefinition(model: HistoryModel): Planned {
  const { random, tables, options } = model
  const kind = random()
  if (kind < 0.5) return alter(model)
  if (kind < 0.6) return alterOtherwise(model)
  if (kind < 0.72) return rename(model)
  if (kind < 0.8) return createFrom(model)
  const table = model.pickTable()
  const isMariaDb = options.flavor === 'mariadb'
  if (kind < 0.86) {
    const rest = tables.filter(({ name }) => name !== table.name)
    return plan(model, `DROP TABLE ${random() < 0.3 ? 'IF EXISTS ' : ''}${quoted(table.name)}`, rest)
  }
  if (kind < 0.9) return plan(model, `TRUNCATE ${random() < 0.5 ? 'TABLE ' : ''}${quoted(table.name)}`, tables)
  const { sql, made } = definition(model, table.name)
  if (kind < 0.95 || !isMariaDb) return plan(model, sql.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'), tables)
  const replaced = tables.map((other) => (other.name === table.name ? made : other))
  return plan(model, sql.replace('CREATE TABLE', 'CREATE OR REPLACE TABLE'), replaced)
}

/** `CREATE TABLE` of a new table. */
export function randomTable(model: HistoryModel): Planned {
  const { random, options } = model
  const isMariaDb = options.flavor === 'mariadb'
  const kinds: readonly TableKind[] = ['m', 'k', 'c', 'g', 'p', ...(isMariaDb ? (['v'] as const) : [])]
  const { sql, made } = definition(model, model.newName(random() < 0.4 ? random.pick(kinds) : 'a'))
  return plan(model, sql, [...model.tables, made])
}

export function plan(model: HistoryModel, sql: string, tables: readonly ModelTable[]): Planned {
  const { random, options } = model
  const { unlogged, hasNames } = options
  const isLogged = random() >= unlogged || !(hasNames || LEAVES_TRACES.test(sql))
  const { text, set } = spelled(sql, model)
  const step: Step = { kind: 'ddl', session: random.integer(0, SESSIONS), sql: text, isLogged, ...withSet(set) }
  return { step, tables }
}

/** A new table, or an ALTER TABLE that only adds a column: then rows have another number of columns than before. */
const LEAVES_TRACES = /^CREATE TABLE [`h]|^ALTER TABLE \S+ ADD COLUMN (?!.*\b(?:ADD|DROP|RENAME|MODIFY|CHANGE)\b)/

function withSet(set: SessionVariables): { readonly set?: SessionVariables } {
  return Object.keys(set).length === 0 ? {} : { set }
}

function definition(model: HistoryModel, name: string): { readonly sql: string; readonly made: ModelTable } {
  const { random } = model
  const kind = kindOf(name)
  const names = model.names.slice(0, random.integer(1, 4))
  const columns = names.map((column, i): ModelColumn => {
    const isKey = kind === 'c' && i === 0
    return { name: column, type: isKey ? 'INT NOT NULL DEFAULT 0' : model.newType() }
  })
  const texts = columns.map((column) => `${quoted(column.name)} ${column.type}`)
  const at = random() < 0.3 ? random.integer(0, texts.length + 1) : 0
  texts.splice(at, 0, kind === 'k' || kind === 'c' ? 'id INT NOT NULL' : 'id INT PRIMARY KEY')
  if (kind === 'g') {
    texts.splice(random.integer(0, texts.length + 1), 0, 'gs INT AS (id + 1) STORED')
    texts.splice(random.integer(0, texts.length + 1), 0, 'gv INT GENERATED ALWAYS AS (id * 2) VIRTUAL')
  }
  if (kind === 'c') {
    const key = ['id', quoted(names[0] ?? '')]
    texts.push(`PRIMARY KEY (${random() < 0.5 ? key.join(', ') : key.toReversed().join(', ')})`)
  }
  return { sql: `CREATE TABLE ${quoted(name)} (${texts.join(', ')})${SUFFIXES[kind] ?? ''}`, made: { name, columns } }
}

const SUFFIXES: Partial<Record<TableKind, string>> = {
  m: ' ENGINE=MyISAM',
  v: ' WITH SYSTEM VERSIONING',
  p: ' PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (12), PARTITION p1 VALUES LESS THAN (40), PARTITION p2 VALUES LESS THAN MAXVALUE)',
}

function createFrom(model: HistoryModel): Planned {
  const { random } = model
  const source = model.pickTable()
  const kind = kindOf(source.name)
  if (random() < 0.5) {
    const name = model.newName(kind)
    const tables = [...model.tables, { name, columns: source.columns }]
    return plan(model, `CREATE TABLE ${quoted(name)} LIKE ${quoted(source.name)}`, tables)
  }
  // The table gets the columns, and neither their generation nor partitions.
  const name = model.newName(kind === 'm' ? 'm' : 'a')
  const engine = kind === 'm' ? ' ENGINE=MyISAM' : ''
  const list = columnList(source.columns)
  const sql = `CREATE TABLE ${quoted(name)} (PRIMARY KEY (id))${engine} ${random() < 0.3 ? 'AS ' : ''}SELECT ${list} FROM ${quoted(source.name)} ORDER BY id`
  const { step, tables } = plan(model, sql, [...model.tables, { name, columns: source.columns }])
  return { step: { ...step, fills: name } as Step, tables }
}

function rename(model: HistoryModel): Planned {
  const { random, tables } = model
  const [first, second] = [model.pickTable(), model.pickTable()]
  const [from, to] = [quoted(first.name), quoted(second.name)]
  if (first !== second && kindOf(first.name) === kindOf(second.name) && random() < 0.5) {
    const swapped = tables.map((table) => {
      if (table === first) return { ...table, name: second.name }
      return table === second ? { ...table, name: first.name } : table
    })
    const between = quoted(model.newName(kindOf(first.name)))
    return plan(model, `RENAME TABLE ${from} TO ${between}, ${to} TO ${from}, ${between} TO ${to}`, swapped)
  }
  const name = model.newName(kindOf(first.name))
  const renamed = tables.map((table) => (table === first ? { ...table, name } : table))
  const forms = [`RENAME TABLE ${from} TO ${quoted(name)}`, `ALTER TABLE ${from} RENAME TO ${quoted(name)}`]
  if (model.options.flavor === 'mariadb')
    forms.push(`RENAME TABLE IF EXISTS ${from} TO ${quoted(name)}, nosuch TO nosuch2`)
  return plan(model, random.pick(forms), renamed)
}

function alter(model: HistoryModel): Planned {
  const { random } = model
  const table = model.pickTable()
  const count = random() < 0.3 ? 2 : 1
  let { columns } = table
  const texts: string[] = []
  for (let i = 0; i < count; i++) {
    const change = randomColumnChange(model, columns, i === 0)
    if (change === null) continue
    columns = change.columns
    texts.push(change.sql)
  }
  const tables = model.tables.map((other) => (other === table ? { ...table, columns } : other))
  const ifExists = model.options.flavor === 'mariadb' && random() < 0.1 ? 'IF EXISTS ' : ''
  return plan(model, `ALTER TABLE ${ifExists}${quoted(table.name)} ${texts.join(', ') || "COMMENT 'x'"}`, tables)
}

/** Statements that change keys, charsets, partitions, or nothing. */
function alterOtherwise(model: HistoryModel): Planned {
  const { random, tables, options } = model
  const table = model.pickTable()
  const [column] = table.columns
  const name = quoted(table.name)
  const first = column === undefined ? 'id' : quoted(column.name)
  const forms = [
    `ALTER TABLE ${name} CONVERT TO CHARACTER SET ${random.pick(['latin1', 'utf8mb4', 'utf8mb4 COLLATE utf8mb4_bin'])}`,
    `ALTER TABLE ${name} DEFAULT CHARACTER SET ${random.pick(['latin1', 'utf8mb4'])}`,
    `ALTER TABLE ${name} DROP PRIMARY KEY`,
    `ALTER TABLE ${name} DROP PRIMARY KEY, ADD PRIMARY KEY (${first}, id)`,
    `ALTER TABLE ${name} ADD PRIMARY KEY (id)`,
    `ALTER TABLE ${name} ADD INDEX i (id)`,
    `CREATE INDEX i ON ${name} (id)`,
    `DROP INDEX i ON ${name}`,
    `ALTER TABLE ${name} FORCE`,
    `ALTER TABLE ${name} ALTER COLUMN ${first} DROP DEFAULT`,
    `ALTER TABLE ${name} ORDER BY id`,
    `OPTIMIZE TABLE ${name}`,
    `ALTER TABLE ${name} COMMENT 'it''s; a "note" -- ALTER TABLE ${name} DROP COLUMN ${first}'`,
  ]
  if (kindOf(table.name) === 'p')
    forms.push(
      `ALTER TABLE ${name} DROP PARTITION p0`,
      `ALTER TABLE ${name} TRUNCATE PARTITION p1`,
      `ALTER TABLE ${name} REORGANIZE PARTITION p2 INTO (PARTITION p2 VALUES LESS THAN (90), PARTITION p3 VALUES LESS THAN MAXVALUE)`,
      `ALTER TABLE ${name} REMOVE PARTITIONING`,
    )
  if (options.flavor === 'mariadb')
    forms.push(
      `ALTER TABLE ${name} DROP COLUMN IF EXISTS nosuch`,
      `ALTER TABLE ${name} MODIFY COLUMN IF EXISTS nosuch INT, CHANGE COLUMN IF EXISTS nosuch nosuch2 INT`,
      `ALTER TABLE ${name} RENAME COLUMN IF EXISTS nosuch TO nosuch2`,
      `ALTER TABLE ${name} ADD INDEX IF NOT EXISTS i (id)`,
      `DROP TABLE IF EXISTS nosuch`,
    )
  return plan(model, random.pick(forms), tables)
}
