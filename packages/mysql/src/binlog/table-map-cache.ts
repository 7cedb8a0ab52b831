import type { TableMapEvent } from './binlog-event.ts'
import { Generations } from './generations.ts'
import { parseTableMap, TABLE_MAP_ID_BYTES } from './table-map.ts'

/**
 * The table maps of a binlog, each parsed once, with their table ids. The cache is bounded, since a server with ten
 * thousand tables writes maps of all of them.
 *
 * A table keeps its id as long as the server has it open, and gets a new one each time that the server opens it. A
 * server with more tables in use than `table_definition_cache` (at most 2,000 by default) assigns a new id with nearly
 * every statement. The bytes after the id are the same each time, so the cache finds a map by these: with two thousand
 * tables in turn, 15,000 of 17,000 maps were parsed again before.
 */
export class TableMapCache {
  readonly #byId = new Generations<number, TableMapEvent>({
    weightMax: BYTES_MAX,
    weightOf: columnBytes,
    countMin: COUNT_MIN,
  })
  readonly #byContent = new Generations<string, TableMapEvent>({
    weightMax: BYTES_MAX,
    weightOf: (event, content) => columnBytes(event) + content.length,
    countMin: COUNT_MIN,
  })

  /**
   * Returns the table map of a TABLE_MAP_EVENT, given its body: the same object for equal bytes. From then on its table
   * id refers to this map.
   *
   * Throws RangeError if a part extends past the end.
   */
  read(bytes: Buffer, start: number, end: number): TableMapEvent {
    const id = bytes.readUIntLE(start, TABLE_MAP_ID_BYTES)
    const numbered = this.#byId.get(id)
    // `SET GLOBAL binlog_row_metadata` changes the map of an open table, which keeps its number.
    if (numbered?.bodyBytes === end - start) return numbered
    const content = bytes.latin1Slice(start + TABLE_MAP_ID_BYTES, end)
    const event = this.#byContent.get(content) ?? this.#parse(content, bytes, start, end)
    this.#byId.add(id, event)
    return event
  }

  #parse(content: string, bytes: Buffer, start: number, end: number): TableMapEvent {
    const event: TableMapEvent = {
      tag: 'tableMap',
      table: parseTableMap(bytes, start, end),
      bodyBytes: end - start,
    }
    this.#byContent.add(content, event)
    return event
  }

  /** Returns the latest map with this table id. */
  get(tableId: number): TableMapEvent | undefined {
    return this.#byId.get(tableId)
  }

  /** A server that restarts begins a new file and assigns ids from the beginning. */
  forgetNumbers(): void {
    this.#byId.clear()
  }
}

function columnBytes({ table }: TableMapEvent): number {
  return table.columns.length * COLUMN_BYTES
}

/** Approximate size of a column of a parsed map. */
const COLUMN_BYTES = 200
/**
 * Approximate limit of a generation: 5,500 tables of five columns. A map that is found by its id is not marked as used
 * in the cache of contents, so the two caches may hold different maps: at most four generations.
 */
export const BYTES_MAX: number = 6_000_000
/**
 * The maps of a statement precede its rows: those of the tables that it names (61 in a join), and of their triggers and
 * foreign keys. Under LOCK TABLES, all tables that are locked for writing may be among them. If there were more than
 * this many, each with more than a hundred columns, the cache would not hold all of them.
 */
export const COUNT_MIN: number = 200
