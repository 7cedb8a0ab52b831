import type { ConfigMap } from '@tributary/connect-api'

/** What a thread reads: plain data. */
export interface EventsData {
  readonly connectorName: string
  readonly topic: string
  readonly scanLength: number
  readonly filter: string
  /** With references, which the thread resolves. */
  readonly config: ConfigMap
  readonly workerProperties: ConfigMap
}

/** Messages from the main thread. */
export type EventsCommand = { readonly tag: 'view events'; readonly data: EventsData }

/** Messages from the thread. `json` is an `EventsMessage`. */
export interface EventsReport {
  readonly tag: 'events'
  readonly json: string
  /** Whether it is the last one. */
  readonly isEnd: boolean
}
