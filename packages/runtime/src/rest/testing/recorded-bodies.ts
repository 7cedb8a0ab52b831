import { readFileSync } from 'node:fs'

/** Bodies that are at the edges of JSON, with the answers of Kafka Connect. None of them registers a connector. */
export interface RecordedBodies {
  /** The server that answered, as its `GET /` describes it. */
  readonly server: unknown
  readonly recorded: readonly RecordedBody[]
}

export interface RecordedBody {
  /** In UTF-8. */
  readonly text?: string
  /** In hexadecimal digits, for a body that is not text. */
  readonly hex?: string
  /** The error message of Kafka Connect. */
  readonly message: string
  /** The error message of Tributary, when it differs (ADR 0024). */
  readonly ownMessage?: string
}

export const BODIES_FIXTURE: URL = new URL('../fixtures/json-bodies.json', import.meta.url)

export function readRecordedBodies(): RecordedBodies {
  return JSON.parse(readFileSync(BODIES_FIXTURE, 'utf8')) as RecordedBodies
}

export function bytesOf({ text = '', hex }: RecordedBody): Buffer<ArrayBuffer> {
  return hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex')
}
