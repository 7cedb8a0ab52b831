import { readFileSync } from 'node:fs'

/** A worker of the recording: A was started first. */
export type Role = 'A' | 'B'

/** A request to one of two workers of Kafka Connect, and its answer. */
export interface RecordedRequest {
  /** The phase during which the request was repeated; absent: it was sent once. */
  readonly watch?: string
  readonly worker: Role
  readonly method: string
  readonly path: string
  /** The body that was sent. */
  readonly request?: string
  /** `ECONNREFUSED` where no process listened. */
  readonly status: number | 'ECONNREFUSED'
  /** The path of the header. */
  readonly location?: string
  readonly body: string
}

/** What happened to a worker, as a sentence. */
export interface RecordedEvent {
  readonly event: string
}

export type Part =
  | { readonly tag: 'event'; readonly event: string }
  | { readonly tag: 'request'; readonly request: RecordedRequest }
  /** Requests that were repeated at the same time, each with its answers in order. */
  | { readonly tag: 'watch'; readonly name: string; readonly requests: readonly (readonly RecordedRequest[])[] }

/** Reads the parts of a recorded trace (fixtures/two-workers) in their order. */
export function readTrace(file: URL): readonly Part[] {
  const lines = JSON.parse(readFileSync(file, 'utf8')) as readonly (RecordedRequest | RecordedEvent)[]
  const parts: Part[] = []
  for (const line of lines) {
    if ('event' in line) parts.push({ tag: 'event', event: line.event })
    else if (line.watch === undefined) parts.push({ tag: 'request', request: line })
    else addToWatch(parts, line, line.watch)
  }
  return parts
}

function addToWatch(parts: Part[], request: RecordedRequest, name: string): void {
  const last = parts.at(-1)
  const before = last?.tag === 'watch' && last.name === name ? last.requests : []
  if (before.length > 0) parts.pop()
  const isSame = ([one]: readonly RecordedRequest[]): boolean =>
    one?.worker === request.worker && one.method === request.method && one.path === request.path
  const requests = before.some(isSame)
    ? before.map((each) => (isSame(each) ? [...each, request] : each))
    : [...before, [request]]
  parts.push({ tag: 'watch', name, requests })
}
