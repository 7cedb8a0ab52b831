import type { TableMapEvent } from './binlog-event.ts'
import { Generations } from './generations.ts'
import { parseTableMap, TABLE_MAP_ID_BYTES } from './table-map.ts'

/**
 * The table maps of a binlog, parsed once, and which of them a number stands for. Bounded: a server with ten thousand tables writes maps of
 * all of them.
 *
 * A table has the same number as long as the server has it open, and a new one each time that it is opened: one with more tables in use than
 * `table_definition_cache` gives (2,000 at most unless it is set) counts on with nearly every statement. What is written behind the number is
 * the same each time, so that it is by this that a map is found again: two thousand tables in turn were parsed 15,000 times in 17,000 before.
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
   * What a TABLE_MAP_EVENT says, given its body: the same object whenever it is the same. Its number stands for it from then on.
   *
   * Throws RangeError when a part goes beyond the end.
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

  /** Of the map that had this number last. */
  get(tableId: number): TableMapEvent | undefined {
    return this.#byId.get(tableId)
  }

  /** Numbers start again when a server does, which always begins a file. */
  forgetNumbers(): void {
    this.#byId.clear()
  }
}

function columnBytes({ table }: TableMapEvent): number {
  return table.columns.length * COLUMN_BYTES
}

/** What a column of a parsed map takes, about. */
const COLUMN_BYTES = 200
/**
 * Of a generation, about: 5,500 tables of five columns. A map that is found by its number ages among the contents, so that the two caches may
 * hold different ones: four generations at most.
 */
export const BYTES_MAX: number = 6_000_000
/**
 * A statement's maps stand before its rows: those of the tables that it names (a join 61), of their triggers and foreign keys. Under LOCK TABLES
 * all that are locked for writing may be among them; of more than so many, each with more than a hundred columns, not all would be known.
 */
export const COUNT_MIN: number = 200
