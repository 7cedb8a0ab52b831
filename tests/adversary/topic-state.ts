import type { Row } from './row-image.ts'

/** What a reader of compacted topics knows at the end: the last record of each key. */
export class TopicState {
  readonly #topics = new Map<string, { table: string; rows: Map<string, Row | null> }>()

  /**
   * @param key null: the record has none
   * @param change null: it is a tombstone
   */
  take(topic: string, key: string | null, change: { readonly table: string; readonly after: Row | null } | null): void {
    if (key === null) return
    const found = this.#topics.get(topic)
    if (change === null) {
      found?.rows.delete(key)
      return
    }
    const { table, after } = change
    if (found === undefined) this.#topics.set(topic, { table, rows: new Map([[key, after]]) })
    else found.rows.set(key, after)
  }

  /** The rows of each table. A row whose deletion has no tombstone appears as `deleted`. */
  tables(): ReadonlyMap<string, readonly Row[]> {
    return new Map(
      [...this.#topics.values()].map(({ table, rows }) => [
        table,
        [...rows].map(([key, row]) => row ?? { ...(JSON.parse(key) as Row), deleted: 'without a tombstone' }),
      ]),
    )
  }
}
