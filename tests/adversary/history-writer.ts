import { present } from '@tributary/support'
import type { Flavor, SeededRandom } from '@tributary/testkit'
import { SESSIONS } from './truth.ts'
import type { Step } from './steps.ts'

interface ModelColumn {
  readonly name: string
  readonly type: string
}

interface ModelTable {
  readonly name: string
  readonly columns: readonly ModelColumn[]
}

export interface HistoryOptions {
  readonly flavor: Flavor
  readonly random: SeededRandom
  /** Prefix of its tables: `h12`. */
  readonly prefix: string
  /** How often a definition is not in the binlog, 0 to 1. */
  readonly unlogged: number
  /**
   * Whether table maps have the names of columns. Without them a changed order of columns of one type leaves no trace in
   * the binlog, and nothing could notice it; then only new tables and new columns are not in the binlog.
   */
  readonly hasNames: boolean
}

/** A change of a column list, and its SQL in an ALTER TABLE. */
interface ColumnChange {
  readonly sql: string
  readonly columns: readonly ModelColumn[]
}

/** Integers of one width dominate: only their names tell their values apart. */
const TYPES = [
  'INT',
  'INT',
  'INT',
  'INT',
  'INT UNSIGNED',
  'BIGINT',
  'DECIMAL(8,2)',
  'VARCHAR(20)',
  'VARCHAR(40)',
  'VARCHAR(20) CHARACTER SET latin1',
  'CHAR(8)',
  "ENUM('x','y','z')",
  "ENUM('z','y','x')",
]
const TRANSACTION_STEPS = ['begin', 'begin', 'begin', 'commit', 'rollback', 'savepoint', 'rollbackTo'] as const
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

/**
 * Writes a random history, a step at a time. The next step is chosen by the tables that the accepted statements have
 * left, so that most statements are valid.
 */
export class HistoryWriter {
  readonly #options: HistoryOptions
  #tables: readonly ModelTable[] = []
  #nextTable = 1
  #nextValue = 1
  readonly #ids: number[]
  /** What the tables are if the server accepts the last step. */
  #after: readonly ModelTable[] = []

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#ids = Array.from({ length: SESSIONS }, (_, session) => session)
  }

  next(): Step {
    this.#after = this.#tables
    const { random } = this.#options
    if (this.#tables.length === 0 || (this.#tables.length < 3 && random() < 0.06)) return this.#create()
    const kind = random()
    if (kind < 0.57) return this.#change()
    if (kind < 0.69) return { kind: random.pick(TRANSACTION_STEPS), session: random.integer(0, SESSIONS) }
    return this.#define()
  }

  /** The server has accepted the last step. */
  accepted(): void {
    this.#tables = this.#after
  }

  // Rows.

  #change(): Step {
    const { random } = this.#options
    const { name: table, columns } = this.#pickTable()
    const session = random.integer(0, SESSIONS)
    const kind = random()
    const of = (sql: string): Step => ({ kind: 'dml', session, table, sql })
    // Each session has ids of its own, so that none waits for a lock of another.
    const id = present(this.#ids[session], 'a session has a counter')
    const old = id - SESSIONS * random.integer(1, 5)
    if (kind < 0.55) {
      const rows = Array.from({ length: random() < 0.3 ? 2 : 1 }, () => this.#row(session, columns))
      return of(`INSERT INTO ${table} (id${columns.map(({ name }) => `, ${name}`).join('')}) VALUES ${rows.join(', ')}`)
    }
    const [column] = columns.length === 0 ? [] : [random.pick(columns)]
    if (kind < 0.65) {
      this.#ids[session] = id + SESSIONS
      return of(`UPDATE ${table} SET id = ${id + SESSIONS} WHERE id = ${old}`)
    }
    if (kind < 0.85 && column !== undefined)
      return of(`UPDATE ${table} SET ${column.name} = ${this.#value(column)} WHERE id = ${old}`)
    if (kind < 0.9 && column !== undefined)
      return of(
        `INSERT INTO ${table} (id) VALUES (${old}) ON DUPLICATE KEY UPDATE ${column.name} = ${this.#value(column)}`,
      )
    return of(`DELETE FROM ${table} WHERE id = ${old}`)
  }

  #row(session: number, columns: readonly ModelColumn[]): string {
    const id = present(this.#ids[session], 'a session has a counter') + SESSIONS
    this.#ids[session] = id
    return `(${[id, ...columns.map((column) => this.#value(column))].join(', ')})`
  }

  #value({ type }: ModelColumn): string {
    const { random } = this.#options
    if (random() < 0.1) return 'NULL'
    if (type.startsWith('ENUM')) return `'${random.pick(['x', 'y', 'z'])}'`
    this.#nextValue += 1
    return /CHAR/.test(type) ? `'v${this.#nextValue}'` : String(this.#nextValue)
  }

  // Definitions.

  #define(): Step {
    const { random, flavor } = this.#options
    const kind = random()
    if (kind < 0.6) return this.#alter()
    if (kind < 0.72) return this.#rename()
    if (kind < 0.8) return this.#createFrom()
    const table = this.#pickTable()
    if (kind < 0.86) {
      this.#after = this.#tables.filter(({ name }) => name !== table.name)
      return this.#ddl(`DROP TABLE ${random() < 0.3 ? 'IF EXISTS ' : ''}${table.name}`)
    }
    if (kind < 0.9) return this.#ddl(`TRUNCATE TABLE ${table.name}`)
    if (kind < 0.95 || flavor === 'mysql') {
      const { sql } = this.#definition(table.name)
      return this.#ddl(sql.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'))
    }
    const { sql, made } = this.#definition(table.name)
    this.#after = this.#tables.map((other) => (other.name === table.name ? made : other))
    return this.#ddl(sql.replace('CREATE TABLE', 'CREATE OR REPLACE TABLE'))
  }

  #create(): Step {
    const { sql, made } = this.#definition(this.#newName(this.#options.random() < 0.1 ? 'm' : 'a'))
    this.#after = [...this.#tables, made]
    return this.#ddl(sql)
  }

  #definition(name: string): { readonly sql: string; readonly made: ModelTable } {
    const { random } = this.#options
    const names = NAMES.slice(0, random.integer(1, 4))
    const columns = names.map((column) => ({ name: column, type: random.pick(TYPES) }))
    const texts = columns.map((column) => `${column.name} ${column.type}`)
    texts.splice(random() < 0.3 ? random.integer(0, texts.length + 1) : 0, 0, 'id INT PRIMARY KEY')
    const engine = /^h\d+m/.test(name) ? ' ENGINE=MyISAM' : ''
    return { sql: `CREATE TABLE ${name} (${texts.join(', ')})${engine}`, made: { name, columns } }
  }

  #createFrom(): Step {
    const { random } = this.#options
    const source = this.#pickTable()
    const name = this.#newName(letterOf(source.name))
    this.#after = [...this.#tables, { name, columns: source.columns }]
    if (random() < 0.5) return this.#ddl(`CREATE TABLE ${name} LIKE ${source.name}`)
    const engine = letterOf(source.name) === 'm' ? ' ENGINE=MyISAM' : ''
    const sql = `CREATE TABLE ${name} (PRIMARY KEY (id))${engine} SELECT * FROM ${source.name} ORDER BY id`
    return { ...this.#ddl(sql), fills: name }
  }

  #rename(): Step {
    const { random } = this.#options
    const [first, second] = [this.#pickTable(), this.#pickTable()]
    if (first !== second && letterOf(first.name) === letterOf(second.name) && random() < 0.5) {
      this.#after = this.#tables.map((table) => {
        if (table === first) return { ...table, name: second.name }
        return table === second ? { ...table, name: first.name } : table
      })
      const between = this.#newName(letterOf(first.name))
      return this.#ddl(
        `RENAME TABLE ${first.name} TO ${between}, ${second.name} TO ${first.name}, ${between} TO ${second.name}`,
      )
    }
    const name = this.#newName(letterOf(first.name))
    this.#after = this.#tables.map((table) => (table === first ? { ...table, name } : table))
    return this.#ddl(
      random() < 0.5 ? `RENAME TABLE ${first.name} TO ${name}` : `ALTER TABLE ${first.name} RENAME TO ${name}`,
    )
  }

  #alter(): Step {
    const { random } = this.#options
    const table = this.#pickTable()
    const count = random() < 0.3 ? 2 : 1
    let { columns } = table
    const texts: string[] = []
    for (let i = 0; i < count; i++) {
      const change = this.#columnChange(columns, i === 0)
      if (change === null) continue
      columns = change.columns
      texts.push(change.sql)
    }
    this.#after = this.#tables.map((other) => (other === table ? { ...table, columns } : other))
    return this.#ddl(`ALTER TABLE ${table.name} ${texts.join(', ') || "COMMENT 'x'"}`)
  }

  /** Only the first change of a statement uses names of columns, which the others would change again. */
  #columnChange(columns: readonly ModelColumn[], isFirst: boolean): ColumnChange | null {
    const { random, flavor } = this.#options
    const kind = random()
    const unused = NAMES.filter((name) => columns.every((column) => column.name !== name))
    const [column, other] = columns.length === 0 ? [] : [random.pick(columns), random.pick(columns)]
    if (column === undefined || other === undefined || !isFirst || kind < 0.3) {
      if (unused.length === 0) return null
      const name = random.pick(unused)
      const type = random.pick(TYPES)
      const exists = flavor === 'mariadb' && random() < 0.2 ? ' IF NOT EXISTS' : ''
      const suffix = random() < 0.5 ? this.#placement(isFirst ? columns : []) : ''
      const sql = `ADD COLUMN${exists} ${name} ${type}${suffix}`
      const isTwice = exists !== '' && random() < 0.5
      return { sql: isTwice ? `${sql}, ${sql}` : sql, columns: [...columns, { name, type }] }
    }
    if (kind < 0.45) return { sql: `DROP COLUMN ${column.name}`, columns: columns.filter((each) => each !== column) }
    if (kind < 0.55) {
      // The column keeps its name and loses its values.
      const sql = `DROP COLUMN ${column.name}, ADD COLUMN ${column.name} ${column.type}${this.#placement([])}`
      return { sql, columns }
    }
    if (kind < 0.7 && column !== other) {
      const sql = `RENAME COLUMN ${column.name} TO ${other.name}, RENAME COLUMN ${other.name} TO ${column.name}`
      return { sql, columns: columns.map((each) => swapped(each, column, other)) }
    }
    if (kind < 0.85) {
      const type = random() < 0.5 ? column.type : random.pick(TYPES)
      const rest = columns.filter((each) => each !== column)
      const suffix = this.#placement(rest)
      const sql = `MODIFY COLUMN ${column.name} ${type}${suffix}`
      return { sql, columns: columns.map((each) => (each === column ? { name: column.name, type } : each)) }
    }
    if (unused.length === 0) return null
    const name = random.pick(unused)
    const renamed = columns.map((each) => (each === column ? { ...column, name } : each))
    const sql =
      random() < 0.5
        ? `RENAME COLUMN ${column.name} TO ${name}`
        : `CHANGE COLUMN ${column.name} ${name} ${column.type}${this.#placement(columns.filter((each) => each !== column))}`
    return { sql, columns: renamed }
  }

  #placement(columns: readonly ModelColumn[]): string {
    const { random } = this.#options
    const kind = random()
    if (kind < 0.3) return ' FIRST'
    if (kind < 0.5) return ' AFTER id'
    return kind < 0.8 && columns.length > 0 ? ` AFTER ${random.pick(columns).name}` : ''
  }

  #ddl(sql: string): Step & { kind: 'ddl' } {
    const { random, unlogged, hasNames } = this.#options
    const isLogged = random() >= unlogged || !(hasNames || LEAVES_TRACES.test(sql))
    return { kind: 'ddl', session: random.integer(0, SESSIONS), sql: this.#spelled(sql), isLogged }
  }

  /** The same statement as people and programs may write it. */
  #spelled(sql: string): string {
    const kind = this.#options.random()
    if (kind < 0.1) return sql.replace(' ', ' /* a; note */ ')
    if (kind < 0.2) return sql.toLowerCase()
    if (kind < 0.3) return sql.replaceAll(/\bh\d+[am]\d+\b/g, '`$&`')
    return kind < 0.35 ? `-- a note\n${sql}` : sql
  }

  #newName(letter: string): string {
    const { prefix } = this.#options
    const name = `${prefix}${letter}${this.#nextTable}`
    this.#nextTable += 1
    return name
  }

  #pickTable(): ModelTable {
    return this.#options.random.pick(this.#tables)
  }
}

/** A new table, or an ALTER TABLE that only adds a column: then rows have another number of columns than before. */
const LEAVES_TRACES = /^CREATE TABLE h|^ALTER TABLE \S+ ADD COLUMN (?!.*\b(?:ADD|DROP|RENAME|MODIFY|CHANGE)\b)/

function swapped(column: ModelColumn, first: ModelColumn, second: ModelColumn): ModelColumn {
  if (column === first) return { ...column, name: second.name }
  return column === second ? { ...column, name: first.name } : column
}

/** `a`: a table with transactions, `m`: one without. */
function letterOf(table: string): string {
  return /^h\d+([am])/.exec(table)?.[1] ?? 'a'
}
