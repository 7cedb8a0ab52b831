import { type ChangeEvent, eventsOf, eventText, type ExpectedEvent, type RowImage } from './row-image.ts'

/** What a comparison of events with the truth found. Only the first difference is described. */
export interface Verdict {
  /** Events that are equal to the change of the server. */
  readonly right: number
  /** Events that no change of the server explains. */
  readonly wrong: readonly string[]
  /** Changes without an event, of tables that are not stopped. */
  readonly lost: readonly string[]
  /** Changes without an event, which the task has reported with their table. */
  readonly withheld: number
}

/** Tables that the log of the task names. */
export interface ReportedTables {
  readonly stopped: ReadonlySet<string>
  /** Of which events were left out, since their rows lack columns. */
  readonly leftOut: ReadonlySet<string>
}

/** Compares the events of a task with the changes that the server wrote, in order. */
export function compareEvents(
  images: readonly RowImage[],
  events: readonly ChangeEvent[],
  { stopped, leftOut }: ReportedTables,
): Verdict {
  const expected = images.flatMap(eventsOf)
  const texts = expected.map(eventText)
  const wrong: string[] = []
  const missing: ExpectedEvent[] = []
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
  const isReported = ({ table, isPartial }: ExpectedEvent): boolean =>
    stopped.has(table) || (isPartial && leftOut.has(table))
  const lost = missing.filter((event) => !isReported(event)).map(eventText)
  return { right: events.length - wrong.length, wrong, lost, withheld: missing.length - lost.length }
}
