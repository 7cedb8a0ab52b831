import type { DifferenceExample, DifferenceGroup, RecordCounts } from '../result.ts'
import type { ComparedRecord } from './compared-record.ts'
import { type DifferingRecord, type FoundDifference, reasonFor } from './deliberate.ts'
import { isObject, type JsonValue, shownValue } from './json-value.ts'
import { kindOfPayload } from './payload-kind.ts'

interface Group {
  readonly reason: string | null
  readonly path: string
  readonly topics: Set<string>
  readonly example: DifferenceExample
  count: number
}

/** Counts records and differences, each kind with an example. */
export class Tally {
  readonly #groups = new Map<string, Group>()
  readonly #topics = new Map<string, number>()
  /** Groups that were not kept. */
  #dropped = 0
  #compared = 0
  #equal = 0
  rehearsed = 0

  /** A pair, with the places where it differs. */
  pair(theirs: ComparedRecord, found: readonly FoundDifference[]): void {
    this.#compared += 1
    this.#topics.set(theirs.topic, (this.#topics.get(theirs.topic) ?? 0) + 1)
    let isEqual = true
    for (const difference of found) {
      const reason = reasonFor(difference, differing(theirs))
      if (reason === null) isEqual = false
      this.#add(difference, reason, theirs)
    }
    if (isEqual) this.#equal += 1
  }

  /** A record that only one side has. */
  single(kind: 'missing' | 'extra', record: ComparedRecord): void {
    const { decoded } = record
    const whole: JsonValue = { key: decoded.key?.payload ?? null, value: decoded.value?.payload ?? null }
    const [theirs, ours] = kind === 'extra' ? [whole, undefined] : [undefined, whole]
    const difference: FoundDifference = { kind, path: kindOfEvent(record), theirs, ours }
    this.#add(difference, reasonFor(difference, differing(record)), record)
  }

  #add(difference: FoundDifference, reason: string | null, record: ComparedRecord): void {
    const { kind, path, theirs, ours } = difference
    // Named differences are the same in each topic.
    const id = `${kind}\0${path}\0${reason ?? ''}\0${reason === null ? record.topic : ''}`
    const group = this.#groups.get(id)
    if (group !== undefined) {
      group.count += 1
      if (group.topics.size < TOPICS_MAX) group.topics.add(record.topic)
      return
    }
    if (this.#groups.size >= GROUPS_MAX) {
      this.#dropped += 1
      return
    }
    const example: DifferenceExample = {
      kind,
      topic: record.topic,
      path,
      theirs: theirs === undefined ? null : shownValue(theirs, EXAMPLE_MAX),
      ours: ours === undefined ? null : shownValue(ours, EXAMPLE_MAX),
      key: shownValue(record.decoded.key?.payload ?? null),
      partition: record.partition,
      offset: record.offset === null ? null : String(record.offset),
    }
    this.#groups.set(id, { reason, path, topics: new Set([record.topic]), example, count: 1 })
  }

  get counts(): RecordCounts {
    return { rehearsed: this.rehearsed, compared: this.#compared, equal: this.#equal }
  }

  get topics(): readonly { readonly topic: string; readonly compared: number }[] {
    return [...this.#topics]
      .map(([topic, compared]) => ({ topic, compared }))
      .toSorted((a, b) => (a.topic < b.topic ? -1 : 1))
  }

  /** Those without a reason first, then the most frequent. */
  get groups(): readonly DifferenceGroup[] {
    return [...this.#groups.values()]
      .map(({ reason, path, topics, example, count }) => {
        return { kind: example.kind, path, topics: [...topics], count, reason, example }
      })
      .toSorted((a, b) => Number(a.reason !== null) - Number(b.reason !== null) || b.count - a.count)
  }

  get hasUnnamed(): boolean {
    return this.#dropped > 0 || [...this.#groups.values()].some(({ reason }) => reason === null)
  }

  /** Differences of kinds beyond the limit of the report. */
  get dropped(): number {
    return this.#dropped
  }
}

/** What a record is, for people. */
export function kindOfEvent({ decoded }: ComparedRecord): string {
  const payload = decoded.value?.payload ?? null
  if (payload === null) return 'tombstone'
  if (!isObject(payload)) return 'record'
  const kind = kindOfPayload(payload)
  const { op } = payload
  if (kind === 'envelope' && typeof op === 'string') return `event with op=${op}`
  return kind === 'statement' ? 'schema change' : 'record'
}

function differing({ decoded, timestampMs }: ComparedRecord): DifferingRecord {
  const { payload = null, schema = null } = decoded.value ?? {}
  return { payload, schema, writtenMs: timestampMs }
}

/** A whole record of a narrow table. */
const EXAMPLE_MAX = 1_000
const TOPICS_MAX = 10
/** A connector with another converter differs everywhere; nobody reads more. */
const GROUPS_MAX = 500
