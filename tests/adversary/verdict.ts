import { type ChangeEvent, eventsOf, eventText, type RowImage } from './row-image.ts'

/** What a comparison of events with the truth found. Only the first difference is described. */
export interface Verdict {
  /** Events that are equal to the change of the server. */
  readonly right: number
  /** Events that no change of the server explains. */
  readonly wrong: readonly string[]
  /** Changes without an event, of tables that are not stopped. */
  readonly lost: readonly string[]
  /** Changes without an event, of tables that the task has reported as stopped. */
  readonly withheld: number
}

/**
 * Compares the events of a task with the changes that the server wrote, in order.
 *
 * @param stopped names of the tables that the log reports as stopped
 */
export function compareEvents(
  images: readonly RowImage[],
  events: readonly ChangeEvent[],
  stopped: ReadonlySet<string>,
): Verdict {
  const expected = images.flatMap(eventsOf)
  const texts = expected.map(eventText)
  const wrong: string[] = []
  const missing: ChangeEvent[] = []
  let next = 0
  for (const event of events) {
    const at = texts.indexOf(eventText(event), next)
    if (at === -1) {
      wrong.push(eventText(event))
      continue
    }
    missing.push(...expected.slice(next, at))
    next = at + 1
  }
  missing.push(...expected.slice(next))
  const lost = missing.filter(({ table }) => !stopped.has(table)).map(eventText)
  return { right: events.length - wrong.length, wrong, lost, withheld: missing.length - lost.length }
}
