import type { LogRecord } from '@tributary/kafka'
import { comparePlaces, placeOf, type RecordPlace } from './record-place.ts'

/** The next records of a topic. */
export interface TopicRecords {
  readonly records: readonly LogRecord[]
  /** How many of the first ones are to be returned. */
  readonly due: number
  /** False: others follow, which may come before those of other topics. */
  readonly isWhole: boolean
}

/**
 * Records of several topics in one order: those of a topic in theirs, those of different topics of a connector by their
 * place in the binlog. A connector repeats records after a kill, so the places within a topic may go back; they are not
 * sorted. Of each connector, ends with the last record that is due, or where the next one may not be there yet.
 */
export function mergeRecords(found: ReadonlyMap<string, TopicRecords>): readonly LogRecord[] {
  const byConnector = Map.groupBy(found, ([topic]) => connectorOf(topic))
  return [...byConnector.values()].flatMap((topics) => mergeTopics(topics.map(([, records]) => records)))
}

/** The prefix of a topic has no dot in `tributary dev`. */
export function connectorOf(topic: string): string {
  return topic.split('.', 1)[0] ?? ''
}

function mergeTopics(topics: readonly TopicRecords[]): readonly LogRecord[] {
  const queues = topics.map((records) => new Queue(records))
  const merged: LogRecord[] = []
  while (queues.some(({ isDue }) => isDue)) {
    let first: Queue | null = null
    for (const queue of queues) {
      if (queue.isMissing) return merged
      if (queue.head === null) continue
      if (first === null || comparePlaces(queue.place, first.place) < 0) first = queue
    }
    if (first?.head === null || first === null) return merged
    merged.push(first.head)
    first.advance()
  }
  return merged
}

class Queue {
  readonly #found: TopicRecords
  #index = 0
  place: RecordPlace = null

  constructor(found: TopicRecords) {
    this.#found = found
    this.#look()
  }

  get head(): LogRecord | null {
    return this.#found.records[this.#index] ?? null
  }

  get isDue(): boolean {
    return this.#index < this.#found.due
  }

  /** Its next record is not there yet. */
  get isMissing(): boolean {
    return this.head === null && !this.#found.isWhole
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
