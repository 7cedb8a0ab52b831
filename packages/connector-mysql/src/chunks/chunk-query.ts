import { assert } from '@tributary/support'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import type { ChunkKey, KeyPoint } from './chunk-key.ts'

/** Which rows of a table are read. */
export interface ChunkSpan {
  /** Rows after this one; null: from the first. */
  readonly after: KeyPoint | null
  /** Rows up to this one, itself included; null: to the last. */
  readonly upTo: KeyPoint | null
  /** A condition of a user; null: all rows. */
  readonly condition: string | null
}

/** The statements that read a table in chunks. A `KeyPoint` for them is one of the same key. */
export class ChunkQuery {
  readonly #key: ChunkKey
  readonly #table: string
  readonly #from: string

  constructor({ id }: Pick<MySqlTable, 'id'>, key: ChunkKey) {
    this.#key = key
    // Another index that covers all columns would be read as a whole for each chunk.
    const index = key.index === null ? '' : ` FORCE INDEX (${quoted(key.index)})`
    this.#table = `${quoted(id.database)}.${quoted(id.table)}`
    this.#from = `${this.#table}${index}`
  }

  /** Selects the last key. */
  lastKey(condition: string | null): string {
    const where = whereOf(conditions(condition))
    return `SELECT ${this.#keys} FROM ${this.#from}${where} ORDER BY ${this.#order(' DESC')} LIMIT 1`
  }

  /** Selects the key of the row that is `rows` after the start of the span; nothing when the span has fewer. */
  border(span: ChunkSpan, rows: number): string {
    return `SELECT ${this.#keys} FROM ${this.#from}${this.#where(span)} ORDER BY ${this.#order('')} LIMIT 1 OFFSET ${rows - 1}`
  }

  /**
   * Selects the rows of the span in the order of their keys.
   *
   * @param expressions what is selected of a row
   */
  rows(expressions: string, span: ChunkSpan): string {
    return `SELECT ${expressions} FROM ${this.#from}${this.#where(span)} ORDER BY ${this.#order('')}`
  }

  /** A statement to explain: how many rows the span has. MySQL looks at no index that it is forced to use. */
  explained(span: ChunkSpan): string {
    const { index } = this.#key
    const hint = index === null ? '' : ` USE INDEX (${quoted(index)})`
    return `SELECT 1 FROM ${this.#table}${hint}${this.#where(span)}`
  }

  /** Whether texts of an offset are a point of this key. */
  isPoint(point: KeyPoint): boolean {
    const { parts } = this.#key
    return point.length === parts.length && parts.every(({ literal }, i) => literal(point[i] ?? '') !== null)
  }

  get #keys(): string {
    return this.#key.parts.map(({ select }) => select).join(', ')
  }

  #order(direction: string): string {
    return this.#key.parts.map(({ column }) => `${column}${direction}`).join(', ')
  }

  #where({ after, upTo, condition }: ChunkSpan): string {
    const lower = after === null ? [] : [this.#beyond(after, '>')]
    const upper = upTo === null ? [] : [this.#beyond(upTo, '<')]
    return whereOf([...lower, ...upper, ...conditions(condition)])
  }

  /**
   * The condition for rows after a point, or up to it. The servers find a range of the index by this form, and not by
   * a comparison of row constructors. The first conjunct is redundant, and enough for a range when the rest is too
   * complex for their optimizers.
   */
  #beyond(point: KeyPoint, operator: '>' | '<'): string {
    const { parts } = this.#key
    const literals = parts.map(({ literal }, i) => {
      const text = literal(point[i] ?? '')
      assert(text !== null, 'points of a key are checked when they are read')
      return text
    })
    const equal = (count: number): string[] =>
      parts.slice(0, count).map(({ compared }, i) => `${compared} = ${literals[i]}`)
    const steps = parts.map(
      ({ compared }, i) => `(${[...equal(i), `${compared} ${operator} ${literals[i]}`].join(' AND ')})`,
    )
    if (operator === '<') steps.push(`(${equal(parts.length).join(' AND ')})`)
    const [first] = parts
    return `${first?.compared} ${operator}= ${literals[0]} AND (${steps.join(' OR ')})`
  }
}

function conditions(condition: string | null): readonly string[] {
  return condition === null ? [] : [`(${condition}\n)`]
}

function whereOf(all: readonly string[]): string {
  return all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`
}
