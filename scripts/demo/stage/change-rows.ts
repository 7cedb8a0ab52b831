import type { TopicEvent } from './change-event.ts'
import type { Demo } from './demo.ts'
import { differences, expectedEvents, type ExpectedEvent } from './expectation.ts'

/** Runs a statement and returns the events that it must cause. */
export async function changeRows(
  { presenter, sample, expected }: Demo,
  statement: string,
): Promise<readonly ExpectedEvent[]> {
  presenter.sql(statement)
  const changes = await sample.change(statement)
  const events = changes.flatMap(expectedEvents)
  expected.push(...events)
  return events
}

/**
 * Waits for these events and prints them. Returns the differences: other events, another order, or events between them.
 */
export async function followEvents(demo: Demo, expected: readonly ExpectedEvent[]): Promise<readonly string[]> {
  const found = new Map<string, TopicEvent[]>()
  for (const { topic } of expected) {
    const [event] = await demo.events.next(topic, 1)
    if (event === undefined) continue
    demo.presenter.event(event)
    found.set(topic, [...(found.get(topic) ?? []), event])
  }
  return [...found].flatMap(([topic, events]) =>
    differences(
      events,
      expected.filter((one) => one.topic === topic),
    ),
  )
}

/** Runs a statement, prints its events and checks them. */
export async function changeAndFollow(demo: Demo, statement: string, check: string): Promise<void> {
  const expected = await changeRows(demo, statement)
  demo.presenter.check(check, await followEvents(demo, expected))
}
