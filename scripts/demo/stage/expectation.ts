import { isDeepStrictEqual } from 'node:util'
import type { Row, TopicEvent } from './change-event.ts'

/** A row that a statement changes, as the database showed it before and after. */
export interface RowChange {
  readonly topic: string
  readonly key: Row
  /** Null: there was no such row. */
  readonly before: Row | null
  /** Null: there is no such row any more. */
  readonly after: Row | null
}

/** What a topic should hold. `op` null: a tombstone. */
export interface ExpectedEvent extends RowChange {
  readonly op: 'r' | 'c' | 'u' | 'd' | null
}

/** The event that tells of a changed row; a delete is followed by its tombstone. */
export function expectedEvents(change: RowChange): readonly ExpectedEvent[] {
  if (change.before === null) return [{ ...change, op: 'c' }]
  if (change.after !== null) return [{ ...change, op: 'u' }]
  return [
    { ...change, op: 'd' },
    { ...change, op: null },
  ]
}

/** What differs, in sentences; none when the events are exactly the expected ones in this order. */
export function differences(found: readonly TopicEvent[], expected: readonly ExpectedEvent[]): readonly string[] {
  const problems: string[] = []
  if (found.length !== expected.length) problems.push(`${found.length} events instead of ${expected.length}`)
  for (const [index, one] of expected.entries()) {
    const event = found[index]
    if (event === undefined) break
    problems.push(...differencesOf(event, one).map((text) => `${event.topic} offset ${event.offset}: ${text}`))
  }
  return problems
}

function differencesOf({ topic, key, change }: TopicEvent, expected: ExpectedEvent): readonly string[] {
  const isTombstone = expected.op === null
  const facts: readonly (readonly [name: string, found: unknown, expected: unknown])[] = [
    ['topic', topic, expected.topic],
    ['key', key, expected.key],
    ['op', change?.op ?? null, expected.op],
    ['before', change?.before ?? null, isTombstone ? null : expected.before],
    ['after', change?.after ?? null, isTombstone ? null : expected.after],
    ['source.snapshot', change?.source['snapshot'] ?? null, expected.op === 'r' ? true : null],
  ]
  return facts
    .filter(([, is, shouldBe]) => !isDeepStrictEqual(is, shouldBe))
    .map(([name, is, shouldBe]) => `${name} is ${JSON.stringify(is)} instead of ${JSON.stringify(shouldBe)}`)
}
