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
  /** New records that arrived too fast to be shown. */
  readonly skipped: number
  /** Why not all of the last records were read; null: they were. */
  readonly limit: string | null
  readonly error: string | null
}

/** More make the page slow and are more than people read. */
const KEPT_MAX = 500

const NOTHING_YET: Events = { phase: 'connecting', events: [], scanned: 0, skipped: 0, limit: null, error: null }

/** Reads a topic until the request changes or the view is left. Null: reads nothing. */
export function useEvents(request: EventsRequest | null): Events {
  const [state, setState] = useState(NOTHING_YET)
  const address = request === null ? null : addressOf(request)
  useEffect(() => {
    setState(NOTHING_YET)
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
  return state
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
      return { ...last, events: [...last.events, ...message.events].slice(-KEPT_MAX), scanned: message.scanned }
    case 'caught up':
      return { ...last, phase: 'following', limit: message.reason }
    case 'skipped':
      return { ...last, skipped: last.skipped + message.count }
    case 'end':
      return { ...last, phase: message.error === null ? 'ended' : 'failed', error: message.error }
  }
}
