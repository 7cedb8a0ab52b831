/** The messages of `/ui/events`, server-sent events for the page. Not a stable interface. */

/** How many of the last records of a topic a reader may look through. */
export const eventScanLengths = [100, 1_000, 10_000] as const

/** A field of a row before and after a change. Values are JSON texts, so that no digit of a number is lost. */
export interface EventField {
  readonly name: string
  /** Absent: that side has no such field, or no row. */
  readonly before?: string
  readonly after?: string
  /** Whether both sides have it, with different values that are in the binlog. */
  readonly isChanged: boolean
}

/** A record of a topic for people. */
export interface TopicEvent {
  readonly partition: number
  readonly offset: string
  /** Of the record, in ms since 1970. */
  readonly timestamp: number
  /** JSON, or the text itself if it is not JSON; null: the record has no key. */
  readonly key: string | null
  /** Whether these texts are JSON. One that is no document is shown as it is, even if it looks like JSON. */
  readonly isDocument?: { readonly key: boolean; readonly value: boolean }
  /** `c`, `u`, `d`, `r`, `t` of an envelope; null: the value is no envelope. */
  readonly op: string | null
  /** The block `source` of an envelope, by field, as JSON texts. */
  readonly source: Readonly<Record<string, string>>
  /** The rows of an envelope. */
  readonly fields: readonly EventField[]
  /** The value if it is no envelope: JSON, or the text itself; null: a tombstone, or an envelope. */
  readonly value: string | null
  readonly isTombstone: boolean
  /** Of key and value in the topic. */
  readonly bytes: number
  /** Why key or value are not shown completely; null: they are. */
  readonly note: string | null
}

/** `start`: the reader has begun. `end`: there are no further messages; the page says why. */
export type EventsMessage =
  | { readonly tag: 'start' }
  /**
   * Records that match, oldest first. `scanned`: how many were looked at so far; `matched`: how many of these match, of
   * which not all may be sent.
   */
  | {
      readonly tag: 'events'
      readonly events: readonly TopicEvent[]
      readonly scanned: number
      readonly matched?: number
    }
  /** The last records are complete; what follows is new. `reason`: the limit that was reached before, or null. */
  | { readonly tag: 'caught up'; readonly reason: string | null }
  /** New records that arrived too fast to be shown. */
  | { readonly tag: 'skipped'; readonly count: number }
  | { readonly tag: 'end'; readonly error: string | null }
