import { present } from '@tributary/support'
import type { Flavor, SeededRandom } from '@tributary/testkit'
import { SESSIONS } from './sessions.ts'
import { quoted, type TableKind } from './table-names.ts'

export interface ModelColumn {
  readonly name: string
  readonly type: string
}

export interface ModelTable {
  readonly name: string
  /** Without `id` and generated columns. */
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
  /** How often a session writes rows with another `binlog_row_image` than FULL, 0 to 1. */
  readonly partial: number
}

/** Integers of one width dominate: only their names tell their values apart. */
const TYPES = [
  'INT',
  'INT',
  'INT',
  'INT',
  'INT UNSIGNED',
  'BIGINT',
  'MEDIUMINT',
  'DECIMAL(8,2)',
  'VARCHAR(20)',
  'VARCHAR(40)',
  'VARCHAR(20) CHARACTER SET latin1',
  'CHAR(8)',
  'TEXT',
  'INT NOT NULL DEFAULT 7',
  "VARCHAR(12) NOT NULL DEFAULT 'd'",
  "ENUM('x','y','z')",
  "ENUM('z','y','x')",
]
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const ODD_NAMES = ['a', 'é', 'x y', 'q`t', 'order', 'Ab']

/** The tables of a history as the accepted statements have left them, so that most of the next ones are valid. */
export class HistoryModel {
  readonly options: HistoryOptions
  readonly random: SeededRandom
  readonly names: readonly string[]
  tables: readonly ModelTable[] = []
  readonly #ids: number[]
  #nextTable = 1
  #nextValue = 1

  constructor(options: HistoryOptions) {
    this.options = options
    this.random = options.random
    this.names = options.random() < 0.3 ? ODD_NAMES : NAMES
    this.#ids = Array.from({ length: SESSIONS }, (_, session) => session)
  }

  newName(kind: TableKind): string {
    const suffix = this.random() < 0.1 ? this.random.pick(['é', '$x', '-x']) : ''
    const name = `${this.options.prefix}${kind}${this.#nextTable}${suffix}`
    this.#nextTable += 1
    return name
  }

  pickTable(): ModelTable {
    return this.random.pick(this.tables)
  }

  newType(): string {
    return this.random.pick(TYPES)
  }

  unused(columns: readonly ModelColumn[]): readonly string[] {
    return this.names.filter((name) => columns.every((column) => column.name !== name))
  }

  // Each session has ids of its own, so that none waits for a lock of another.

  newId(session: number): number {
    const id = present(this.#ids[session], 'a session has a counter') + SESSIONS
    this.#ids[session] = id
    return id
  }

  oldId(session: number): number {
    const id = present(this.#ids[session], 'a session has a counter') - SESSIONS * this.random.integer(0, 5)
    // The end of a history gives each row a negative id.
    return Math.max(id, session + SESSIONS)
  }

  value({ type }: ModelColumn): string {
    const { random } = this
    if (random() < 0.1 && !type.includes('NOT NULL')) return 'NULL'
    if (type.startsWith('ENUM')) return `'${random.pick(['x', 'y', 'z'])}'`
    this.#nextValue += 1
    if (!/CHAR|TEXT/.test(type)) return String(this.#nextValue)
    return random() < 0.1 ? `'ü${this.#nextValue}'` : `'v${this.#nextValue}'`
  }

  /** `(7, 12, 'v13')` */
  row(session: number, columns: readonly ModelColumn[]): string {
    return `(${[this.newId(session), ...columns.map((column) => this.value(column))].join(', ')})`
  }
}

/** `id, a, b` */
export function columnList(columns: readonly ModelColumn[], id = 'id'): string {
  return [id, ...columns.map(({ name }) => quoted(name))].join(', ')
}
