import type { IncomingHttpHeaders } from 'node:http'
import type { Role } from './access/logins.ts'

/** A request that has passed the checks of its scope. */
export interface RestRequest {
  /** Parameters of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Empty for a request without a body. */
  readonly body: Buffer
  /** Of the user who sends it. */
  readonly role: Role
}

/** A body that is not a JSON document, such as a page or the text format of Prometheus. */
export interface RestContent {
  /** The complete Content-Type header, with the charset of a text. */
  readonly type: string
  readonly bytes: Buffer
}

export interface RestAnswer {
  readonly status: number
  /** Sent as JSON. Without `document` and `content`, the answer has no body. */
  readonly document?: unknown
  /** Sent as it is, instead of a document. */
  readonly content?: RestContent
  /** Path for the Location header. */
  readonly location?: string
  /** The Retry-After header, in seconds. */
  readonly retryAfterS?: number
}

export type Handler = (request: RestRequest) => RestAnswer | Promise<RestAnswer>
