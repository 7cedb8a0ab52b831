import { type ChangeEvent, eventsOf, eventText, type ExpectedEvent, type Row, type RowImage } from './row-image.ts'

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
  const explains = (at: number, event: ChangeEvent, text: string): boolean => {
    const change = expected[at]
    return texts[at] === text || (change !== undefined && change.isPartial && isPartOf(event, change))
  }
  const wrong: string[] = []
  const missing: ExpectedEvent[] = []
  let next = 0
  for (const event of events) {
    const text = eventText(event)
    const at = expected.findIndex((_, i) => i >= next && explains(i, event, text))
    if (at === -1) {
      wrong.push(text)
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

/**
 * Whether an event is that of a change whose rows lack columns in the binlog: some, but none of the key, have the
 * placeholder, and the image before the change may be unknown.
 */
function isPartOf(event: ChangeEvent, change: ExpectedEvent): boolean {
  if (event.op !== change.op || event.table !== change.table) return false
  const isBefore = event.before === null || isPartOfRow(event.before, change.before, change.key)
  return isBefore && (event.after === change.after || isPartOfRow(event.after, change.after, change.key))
}

function isPartOfRow(row: Row | null, whole: Row | null, key: readonly string[]): boolean {
  if (row === null || whole === null) return row === whole
  const names = Object.keys(row)
  const isSameTable = names.join() === Object.keys(whole).join()
  return (
    isSameTable && names.every((name) => row[name] === whole[name] || (isPlaceholder(row[name]) && !key.includes(name)))
  )
}

function isPlaceholder(text: string | undefined): boolean {
  return text !== undefined && PLACEHOLDERS.some((placeholder) => text.includes(placeholder))
}

const PLACEHOLDER = '__debezium_unavailable_value'
/** As a text, and as bytes. */
const PLACEHOLDERS = [
  PLACEHOLDER,
  Buffer.from(PLACEHOLDER).toString('base64'),
  Buffer.from(PLACEHOLDER).toString('hex'),
]
