import type { EventsMessage, TopicEvent } from '@tributary/rest-api'
import { useEffect, useState } from 'preact/hooks'
import { openStream } from '../api/stream.ts'

export interface EventsRequest {
  readonly connector: string
  readonly topic: string
  readonly scan: number
  readonly filter: string
}

export interface Events {
  /** `reading`: the last records are being looked through. `following`: new ones are shown as they arrive. */
  readonly phase: 'connecting' | 'reading' | 'following' | 'ended' | 'failed'
  /** Oldest first. */
  readonly events: readonly TopicEvent[]
  readonly scanned: number
  /** How many of these match; null: not known. */
  readonly matched: number | null
  /** Records that were shown and made room for newer ones. */
  readonly dropped: number
  /** New records that arrived too fast to be shown. */
  readonly skipped: number
  /** Why not all of the last records were read; null: they were. */
  readonly limit: string | null
  readonly error: string | null
}

/** More make the page slow and are more than people read. */
export const KEPT_MAX = 500

const NOTHING_YET: Events = {
  phase: 'connecting',
  events: [],
  scanned: 0,
  matched: null,
  dropped: 0,
  skipped: 0,
  limit: null,
  error: null,
}

/** Reads a topic until the request changes or the view is left. Null: reads nothing. */
export function useEvents(request: EventsRequest | null): Events {
  const address = request === null ? null : addressOf(request)
  const [{ of, state }, set] = useState({ of: address, state: NOTHING_YET })
  useEffect(() => {
    const setState = (change: (last: Events) => Events): void =>
      set((last) => ({ of: address, state: change(last.of === address ? last.state : NOTHING_YET) }))
    if (address === null) return undefined
    const stream = openStream(address, {
      onMessage: (message) => {
        const received = message as EventsMessage
        if (received.tag === 'end') stream.close()
        setState((last) => next(last, received))
      },
      onLost: (status, reason) => {
        // Others answer when they are asked again: a worker that starts, a place that is free again.
        const isRefused = status >= 400 && status < 500
        if (isRefused) stream.close()
        setState((last) => (isRefused ? { ...last, phase: 'failed', error: reason } : lost(last, status, reason)))
      },
    })
    return stream.close
  }, [address])
  // Records of the last request are none of this one.
  return of === address ? state : NOTHING_YET
}

function addressOf({ connector, topic, scan, filter }: EventsRequest): string {
  return `events?${String(new URLSearchParams({ connector, topic, scan: String(scan), filter }))}`
}

function lost(last: Events, status: number, reason: string): Events {
  return { ...last, phase: 'connecting', error: status === 0 || reason === '' ? 'The worker does not answer.' : reason }
}

function next(last: Events, message: EventsMessage): Events {
  switch (message.tag) {
    case 'start':
      return { ...NOTHING_YET, phase: 'reading' }
    case 'events':
      return withRecords(last, message)
    case 'caught up':
      return { ...last, phase: 'following', limit: message.reason }
    case 'skipped':
      return { ...last, skipped: last.skipped + message.count }
    case 'end':
      return { ...last, phase: message.error === null ? 'ended' : 'failed', error: message.error }
  }
}

function withRecords(last: Events, message: EventsMessage & { readonly tag: 'events' }): Events {
  const { scanned, matched = null } = message
  const events = [...last.events, ...message.events]
  const surplus = Math.max(0, events.length - KEPT_MAX)
  return { ...last, events: events.slice(surplus), scanned, matched, dropped: last.dropped + surplus }
}
