import type { Role } from '../access/logins.ts'
import type { PageFiles } from './page-files.ts'

/** Where the messages of a stream of server-sent events come from. They are JSON texts. */
export interface MessageSource {
  /** The first message. */
  readonly start: (role: Role) => string
  /** Calls `onMessage` with each further message until the returned function is called; `onEnd` after the last one. */
  readonly listen: (onMessage: (json: string) => void, onEnd: () => void) => () => void
}

/** What a page wants to read of a topic. */
export interface EventsRequest {
  readonly connector: string
  readonly topic: string
  /** How many of the last records are looked through. */
  readonly scanLength: number
  readonly filter: string
}

export interface Refusal {
  readonly status: number
  readonly message: string
}

/** The records of topics. */
export interface EventsOptions {
  /** Of users. */
  readonly roles: ReadonlySet<Role>
  readonly open: (request: EventsRequest) => MessageSource | Refusal
}

/** The page at `/ui`. */
export interface PageOptions {
  /** Called for the first request of the page. */
  readonly loadFiles: () => Promise<PageFiles>
  readonly live: MessageSource
  readonly log: MessageSource
  readonly events: EventsOptions
}
