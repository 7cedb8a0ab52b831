/** A place in a conversation where the server sends something. */
export type Point =
  | { readonly tag: 'greeting' }
  /** The bytes after which the client sends its credentials through TLS. */
  | { readonly tag: 'tls' }
  /** An answer during the login: `step` 0 is the first. */
  | { readonly tag: 'login'; readonly step: number }
  | { readonly tag: 'answer'; readonly sql: string }
  /** The answer to COM_REGISTER_SLAVE. */
  | { readonly tag: 'registration' }
  /** All events of a dump. */
  | { readonly tag: 'dump'; readonly serverId: number }

/** What happens to the connection after the bytes of a point. */
export type Ending = 'continue' | 'close' | 'reset' | 'stall'

/** The bytes of a point as a faulty server sends them. */
export interface Bent {
  /** May be without end: the server sends as long as the client reads. */
  readonly send: Iterable<Buffer>
  readonly ending: Ending
}

/** Replaces what the server sends at a point. */
export interface Fault {
  readonly matches: (point: Point) => boolean
  readonly bend: (bytes: Buffer) => Bent
  /** How often it strikes; the server behaves well after that. Default: once. */
  readonly times?: number
}

/** True for the events of a replica: dumps with the server id 0 read the start of a file. */
export function isReplicaDump(point: Point): boolean {
  return point.tag === 'dump' && point.serverId !== 0
}

export function isAnswerTo(words: RegExp): Fault['matches'] {
  return (point) => point.tag === 'answer' && words.test(point.sql)
}

/** The first `count` bytes, then the end. */
export function cutAt(count: number, ending: 'close' | 'reset' | 'stall'): Fault['bend'] {
  return (bytes) => ({ send: [bytes.subarray(0, count)], ending })
}

/** Other bytes instead. */
export function instead(bytes: Buffer, ending: Ending = 'continue'): Fault['bend'] {
  return () => ({ send: [bytes], ending })
}

/** Changed bytes. */
export function changed(change: (bytes: Buffer) => Buffer, ending: Ending = 'continue'): Fault['bend'] {
  return (bytes) => ({ send: [change(bytes)], ending })
}

/** The head, then the same bytes for ever. */
export function endless(head: (bytes: Buffer) => Buffer, repeated: Buffer): Fault['bend'] {
  return (bytes) => ({ send: headThenRepeated(head(bytes), repeated), ending: 'continue' })
}

function* headThenRepeated(head: Buffer, repeated: Buffer): Generator<Buffer> {
  yield head
  for (;;) yield repeated
}
