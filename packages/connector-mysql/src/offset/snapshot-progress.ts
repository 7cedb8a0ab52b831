import { TableId } from '@tributary/connector-kit'
import { gunzipSync, gzipSync } from 'node:zlib'

/** A place in the order of the rows of a table, as `chunks/chunk-key.ts` has it. */
type KeyPoint = readonly string[]

/** Rows after one key, up to another one; null: from the first, to the last. */
export interface PendingRange {
  readonly after: KeyPoint | null
  readonly upTo: KeyPoint | null
}

/** A table of an initial snapshot that is not complete. */
export interface PendingTable {
  readonly id: TableId
  /** What of its rows is left; null: all of them. */
  readonly ranges: readonly PendingRange[] | null
  /** What the order of its keys depends on; null: on nothing but the definition of the table. */
  readonly signature: string | null
}

export interface WaitingTables {
  readonly waiting: readonly { readonly id: TableId }[]
  readonly from: number
  /** What an earlier task has left of them. */
  readonly pending: ReadonlyMap<TableId, PendingTable>
  readonly scope: string
}

/**
 * How far an initial snapshot is: the tables, and the parts of them, that are not complete. Part of the offset of its
 * records. Its text is made only for an offset that is stored.
 */
export class SnapshotProgress {
  readonly #open: readonly PendingTable[]
  readonly #waiting: readonly { readonly id: TableId }[]
  readonly #from: number
  readonly #pending: ReadonlyMap<TableId, PendingTable>
  /** `snapshotScopeOf` when the snapshot began. */
  readonly scope: string
  #text: string | null = null

  /**
   * @param open tables that are being read
   * @param waiting tables in the order of reading, of which those from `from` on were not begun by this task
   */
  constructor(open: readonly PendingTable[], { waiting, from, pending, scope }: WaitingTables) {
    this.#open = open
    this.#waiting = waiting
    this.#from = from
    this.#pending = pending
    this.scope = scope
  }

  /** Null: the text is not a progress, or a later version wrote it. */
  static parse(text: unknown): SnapshotProgress | null {
    if (typeof text !== 'string') return null
    try {
      const json = text.startsWith('[') ? text : gunzipSync(Buffer.from(text, 'base64'), LIMIT).toString('utf8')
      const list: unknown = JSON.parse(json)
      if (!Array.isArray(list)) return null
      const [first] = list as readonly unknown[]
      const scope = typeof first === 'string' ? first : ''
      const tables = tablesOf(list.slice(scope === '' ? 0 : 1))
      return tables === null ? null : new SnapshotProgress(tables, { waiting: [], from: 0, pending: new Map(), scope })
    } catch {
      return null
    }
  }

  /** In the order of reading. */
  get tables(): readonly PendingTable[] {
    const waiting = this.#waiting
      .slice(this.#from)
      .map(({ id }) => this.#pending.get(id) ?? { id, ranges: null, signature: null })
    return [...this.#open, ...waiting]
  }

  /** JSON, of many tables in a compressed form. */
  toString(): string {
    if (this.#text !== null) return this.#text
    const scope = this.scope === '' ? [] : [this.scope]
    const json = JSON.stringify([
      ...scope,
      ...this.tables.map(({ id: { database, table }, ranges, signature }) =>
        ranges === null
          ? [database, table]
          : [
              database,
              table,
              ranges.map(({ after, upTo }) => [after, upTo]),
              ...(signature === null ? [] : [signature]),
            ],
      ),
    ])
    this.#text = json.length <= PLAIN_CHARACTERS_MAX ? json : gzipSync(json).toString('base64')
    return this.#text
  }
}

/** An offset that people read. */
const PLAIN_CHARACTERS_MAX = 4_096
/** A hundred thousand tables. */
const LIMIT = { maxOutputLength: 16_777_216 }

function tablesOf(list: readonly unknown[]): readonly PendingTable[] | null {
  const tables: PendingTable[] = []
  for (const entry of list) {
    if (!Array.isArray(entry)) return null
    const [database, table, ranges = null, signature = null] = entry as readonly unknown[]
    if (typeof database !== 'string' || typeof table !== 'string') return null
    const parsed = ranges === null ? null : rangesOf(ranges)
    if (ranges !== null && parsed === null) return null
    if (signature !== null && typeof signature !== 'string') return null
    tables.push({ id: TableId.of(database, table), ranges: parsed, signature })
  }
  return tables
}

function rangesOf(list: unknown): readonly PendingRange[] | null {
  if (!Array.isArray(list)) return null
  const ranges: PendingRange[] = []
  for (const entry of list as readonly unknown[]) {
    if (!Array.isArray(entry)) return null
    const [after, upTo] = (entry as readonly unknown[]).map(pointOf)
    if (after === undefined || upTo === undefined) return null
    ranges.push({ after, upTo })
  }
  return ranges
}

/** Undefined: it is no point. */
function pointOf(value: unknown): KeyPoint | null | undefined {
  if (value === null) return null
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined
}
