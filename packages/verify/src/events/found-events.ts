import type { TopicEvent } from '@tributary/rest-api'

/** The last ones that match are shown. */
export const SHOWN_MAX = 200
/** Of their JSON, as the page receives it. */
export const SHOWN_BYTES_MAX = 4_000_000
/** Several of the largest events fit into one message. */
const EVENT_BYTES_MAX = 1_000_000

export interface SizedEvent {
  readonly event: TopicEvent
  /** Of its JSON. */
  readonly bytes: number
}

/** Measures an event. One that is too large, such as one of control characters, is replaced by one that says so. */
export function sizedEvent(event: TopicEvent): SizedEvent {
  const bytes = jsonBytes(event)
  if (bytes <= EVENT_BYTES_MAX) return { event, bytes }
  const note = `The record is too large for the page (${bytes} bytes of JSON): only its place is shown.`
  const small: TopicEvent = { ...event, key: null, op: null, source: {}, fields: [], value: null, note }
  return { event: small, bytes: jsonBytes(small) }
}

function jsonBytes(event: TopicEvent): number {
  return Buffer.byteLength(JSON.stringify(event))
}

/** The latest events that were found, of a bounded size. */
export class FoundEvents {
  #events: SizedEvent[] = []
  #bytes = 0

  add(event: TopicEvent): void {
    const sized = sizedEvent(event)
    this.#events.push(sized)
    this.#bytes += sized.bytes
    // A partition is read in parts: without a reserve, all of those kept could be of one.
    if (this.#events.length > 2 * SHOWN_MAX || this.#bytes > 2 * SHOWN_BYTES_MAX) this.#forget()
  }

  #forget(): void {
    const sorted = this.#events.toSorted((a, b) => compareEvents(a.event, b.event)).slice(-SHOWN_MAX)
    let bytes = 0
    const oldest = sorted.findLastIndex((each) => (bytes += each.bytes) > SHOWN_BYTES_MAX)
    this.#events = sorted.slice(oldest + 1)
    this.#bytes = this.#events.reduce((sum, each) => sum + each.bytes, 0)
  }

  /** Oldest first. */
  inOrder(): readonly TopicEvent[] {
    this.#forget()
    return this.#events.map(({ event }) => event)
  }
}

function compareEvents(a: TopicEvent, b: TopicEvent): number {
  return a.timestamp - b.timestamp || a.partition - b.partition || (BigInt(a.offset) < BigInt(b.offset) ? -1 : 1)
}
