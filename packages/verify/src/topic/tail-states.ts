import type { LogRecord } from '@tributary/kafka'
import type { TopicRecord } from './topic-record.ts'

/** A record of a key. */
export interface Found {
  readonly read: TopicRecord
  readonly record: LogRecord
}

/** What the newest records of a topic say of some keys, as of a view. Records are added in the order of the topic. */
export class TailStates {
  /** By key: the last record that the view contains; absent: none of the records that were added. */
  readonly last: Map<string, Found> = new Map()
  /**
   * By key, in order: what the changes leave of which it is unknown whether the view contains them; null: no record,
   * after TRUNCATE. Row locks order the changes of a key, so the row is in one of these states or in the one before them.
   */
  readonly possible: Map<string, (Found | null)[]> = new Map()
  /** Keys with too many changes of that kind: not all of their states were kept. */
  readonly crowded: Set<string> = new Set()
  /** The view contains a TRUNCATE: records before it do not count. */
  isTruncated = false
  readonly #wanted: ReadonlySet<string>
  #possibleBytes = 0

  constructor(wanted: readonly string[]) {
    this.#wanted = new Set(wanted)
  }

  add(id: string, { read, record }: Found, containment: 'contained' | 'unknown'): void {
    if (!this.#wanted.has(id)) return
    if (containment === 'unknown') {
      this.#possibleBytes += record.value?.length ?? 0
      return this.#addPossible(id, { read, record: detached(record) })
    }
    this.last.set(id, { read, record: detached(record) })
    this.#clearPossible(id)
  }

  truncate(containment: 'contained' | 'unknown'): void {
    if (containment === 'unknown') {
      for (const id of this.#wanted) this.#addPossible(id, null)
      return
    }
    this.isTruncated = true
    this.last.clear()
    for (const id of this.#wanted) this.#clearPossible(id)
  }

  #addPossible(id: string, found: Found | null): void {
    const states = this.possible.get(id)
    if (states === undefined) this.possible.set(id, [found])
    else if (states.length < POSSIBLE_MAX && this.#possibleBytes <= POSSIBLE_BYTES_MAX) states.push(found)
    else this.crowded.add(id)
  }

  #clearPossible(id: string): void {
    this.possible.delete(id)
    this.crowded.delete(id)
  }
}

/** Changes of one key while a view is opened. */
const POSSIBLE_MAX = 100
const POSSIBLE_BYTES_MAX = 32 * 2 ** 20

/** A copy that does not keep the whole batch in memory. */
export function detached(record: LogRecord): LogRecord {
  const copy = (bytes: Buffer | null): Buffer | null => (bytes === null ? null : Buffer.from(bytes))
  return { ...record, key: copy(record.key), value: copy(record.value), headers: [] }
}
