import type { ConnectValue } from '@tributary/connect-api'
import { type ColumnTarget, type RowReader, TextRowCodec } from '@tributary/mysql'
import { type ChunkKey, chunkKeyOf, type KeyPart, type KeyPoint } from '../chunks/chunk-key.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { snapshotSelect } from './snapshot-select.ts'

type Row = readonly ConnectValue[]

/** Reads the rows of a table, and knows the keys of those that were read last. */
export interface KeyedRows {
  /** What is selected of a row. */
  readonly expressions: string
  readonly reader: RowReader<ConnectValue>
  /** The key of one of the last two rows; null: it is not known. */
  pointOf(row: Row): KeyPoint | null
}

/**
 * The key by which a table can be read in an order without sorting it: its whole primary key. Null without one: a unique
 * key would be read row by row, and a key of prefixes would be sorted.
 */
export function orderingKey(table: MySqlTable): ChunkKey | null {
  const primary = table.keys?.find(({ kind }) => kind === 'primary')
  if (primary === undefined || primary.prefixLengths.some((length) => length !== null)) return null
  const choice = chunkKeyOf(table, { surrogate: null, messageKey: null })
  return choice.tag === 'key' && choice.key.index === 'PRIMARY' ? choice.key : null
}

/** Whether the order of the keys depends on a collation. */
export function hasTextKey({ parts }: ChunkKey): boolean {
  return parts.some(({ type }) => /CHAR|TEXT/.test(type.name))
}

/** Integers are the keys that rows have anyway; other keys are selected in addition, as texts. */
export function keyedRows(captured: CapturedTable, key: ChunkKey): KeyedRows {
  const indexes = key.parts.map((part) => plainIndex(captured, part))
  if (indexes.every((index) => index !== null)) return new OwnKeys(captured, indexes)
  return new SelectedKeys(captured, key)
}

/** The index of a column whose values are in events as they are; null: its values have another form there. */
function plainIndex({ table, mappings }: CapturedTable, { name, type }: KeyPart): number | null {
  const index = table.columns.findIndex((column) => column.name === name)
  const target = mappings[index]?.target
  const isPlain = target?.kind === 'integer' && target.of === null
  return isPlain && /^(TINY|SMALL|MEDIUM|BIG)?INT$/.test(type.name) ? index : null
}

class OwnKeys implements KeyedRows {
  readonly expressions: string
  readonly reader: RowReader<ConnectValue>
  readonly #indexes: readonly number[]

  constructor(captured: CapturedTable, indexes: readonly number[]) {
    const { expressions, reader } = snapshotSelect(captured)
    this.expressions = expressions
    this.reader = reader
    this.#indexes = indexes
  }

  pointOf(row: Row): KeyPoint | null {
    const values = this.#indexes.map((index) => row[index])
    return values.every((value) => typeof value === 'number' || typeof value === 'bigint') ? values.map(String) : null
  }
}

const KEY: ColumnTarget<ConnectValue> = { kind: 'binary', of: (bytes, start, end) => bytes.latin1Slice(start, end) }

class SelectedKeys implements KeyedRows, RowReader<ConnectValue> {
  readonly expressions: string
  readonly #codec: TextRowCodec<ConnectValue>
  readonly #columns: number
  #last: { readonly row: Row; readonly point: readonly ConnectValue[] } | null = null
  #before: { readonly row: Row; readonly point: readonly ConnectValue[] } | null = null

  constructor(captured: CapturedTable, { parts }: ChunkKey) {
    const { expressions, targets } = snapshotSelect(captured)
    this.expressions = [expressions, ...parts.map(({ select }) => select)].join(', ')
    this.#columns = targets.length
    this.#codec = new TextRowCodec([...targets, ...parts.map(() => KEY)])
  }

  get reader(): RowReader<ConnectValue> {
    return this
  }

  read(bytes: Buffer, start: number, end: number): ConnectValue[] {
    const row = this.#codec.read(bytes, start, end)
    const point = row.splice(this.#columns)
    this.#before = this.#last
    this.#last = { row, point }
    return row
  }

  pointOf(row: Row): KeyPoint | null {
    const found = [this.#last, this.#before].find((each) => each?.row === row)
    return found?.point.every((text) => typeof text === 'string') === true ? found.point : null
  }
}
