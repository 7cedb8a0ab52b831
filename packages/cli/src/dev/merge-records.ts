import type { LogRecord } from '@tributary/kafka'
import { comparePlaces, placeOf, type RecordPlace } from './record-place.ts'

/**
 * Records of several topics in one order: those of a topic in theirs, those of different topics of a connector by their
 * place in the binlog. A connector repeats records after a kill, so the places within a topic may go back; they are not
 * sorted.
 */
export function mergeRecords(found: ReadonlyMap<string, readonly LogRecord[]>): readonly LogRecord[] {
  const byConnector = Map.groupBy(found, ([topic]) => connectorOf(topic))
  return [...byConnector.values()].flatMap((topics) => mergeTopics(topics))
}

/** The prefix of a topic has no dot in `tributary dev`. */
export function connectorOf(topic: string): string {
  return topic.split('.', 1)[0] ?? ''
}

function mergeTopics(topics: readonly (readonly [string, readonly LogRecord[]])[]): readonly LogRecord[] {
  const queues = topics.map(([, records]) => new Queue(records))
  const merged: LogRecord[] = []
  for (;;) {
    let first: Queue | null = null
    for (const queue of queues) {
      if (queue.head === null) continue
      if (first === null || comparePlaces(queue.place, first.place) < 0) first = queue
    }
    if (first?.head === null || first === null) return merged
    merged.push(first.head)
    first.advance()
  }
}

class Queue {
  readonly #records: readonly LogRecord[]
  #index = 0
  place: RecordPlace = null

  constructor(records: readonly LogRecord[]) {
    this.#records = records
    this.#look()
  }

  get head(): LogRecord | null {
    return this.#records[this.#index] ?? null
  }

  advance(): void {
    this.#index += 1
    this.#look()
  }

  /** A tombstone follows its delete. */
  #look(): void {
    const value = this.head?.value ?? null
    if (value !== null) this.place = placeOf(value)
  }
}
