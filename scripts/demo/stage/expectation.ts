import { isDeepStrictEqual } from 'node:util'
import type { Row, TopicEvent } from './change-event.ts'

/** A row that a statement changed, as the database returned it before and after. */
export interface RowChange {
  readonly topic: string
  readonly key: Row
  /** Null when the row did not exist. */
  readonly before: Row | null
  /** Null when the row no longer exists. */
  readonly after: Row | null
}

/** An event that a topic must contain. `op` is null for a tombstone. */
export interface ExpectedEvent extends RowChange {
  readonly op: 'r' | 'c' | 'u' | 'd' | null
}

/** Returns the events of a changed row: one event, and after a delete also a tombstone. */
export function expectedEvents(change: RowChange): readonly ExpectedEvent[] {
  if (change.before === null) return [{ ...change, op: 'c' }]
  if (change.after !== null) return [{ ...change, op: 'u' }]
  return [
    { ...change, op: 'd' },
    { ...change, op: null },
  ]
}

/** Describes the differences; returns none when the events are exactly the expected ones, in the same order. */
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
