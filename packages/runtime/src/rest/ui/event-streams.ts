import type { ServerResponse } from 'node:http'
import type { Clock } from '@tributary/support'
import type { Role } from '../access/logins.ts'
import type { MessageSource } from './page-options.ts'

/** Two for each open page. */
const STREAMS_MAX = 64
/** A client that reads this much too slowly is disconnected. The first message of a worker with many connectors is 3 MB. */
const UNSENT_BYTES_MAX = 16 * 2 ** 20
/** Of all streams together. Above it, there are no new streams, and clients with more than their share are disconnected. */
const ALL_UNSENT_BYTES_MAX = 64 * 2 ** 20
const SHARE_BYTES = ALL_UNSENT_BYTES_MAX / STREAMS_MAX
/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000
/** A client that reads nothing for this time, while bytes wait for it, is disconnected. Longer than a heartbeat. */
const STALL_MS = 60_000

/** The open streams of server-sent events of all listeners: their number and what they may hold is limited. */
export class EventStreams {
  readonly #clock: Clock
  readonly #stallMs: number
  readonly #open = new Set<ServerResponse>()
  /** The last message as a frame: each stream of a source gets the same bytes. */
  #last: { readonly json: string; readonly bytes: Buffer } = { json: '', bytes: Buffer.alloc(0) }
  #unsentBytes = 0

  constructor(clock: Clock, { stallMs = STALL_MS }: { readonly stallMs?: number } = {}) {
    this.#clock = clock
    this.#stallMs = stallMs
  }

  get isFull(): boolean {
    this.#count()
    return this.#open.size >= STREAMS_MAX || this.#unsentBytes >= ALL_UNSENT_BYTES_MAX
  }

  /** Answers with the messages of the source until the client closes the connection or reads too slowly. */
  open(response: ServerResponse, source: MessageSource, role: Role): void {
    // The client has left: there will be no further event `close`.
    if (response.destroyed || response.closed) return
    this.#open.add(response)
    response.writeHead(200, headers)
    // Writes that wait behind another one do not restart this time; any progress of the client does.
    response.setTimeout(this.#stallMs, () => response.destroy())
    this.#write(response, frame(source.start(role)))
    const unlisten = source.listen(
      (json) => this.#write(response, this.#frame(json)),
      () => response.end(),
    )
    const stopHeartbeat = this.#beat(() => this.#write(response, HEARTBEAT))
    response.once('close', () => {
      unlisten()
      stopHeartbeat()
      this.#open.delete(response)
    })
  }

  #write(response: ServerResponse, bytes: Buffer): void {
    if (response.writableEnded || response.destroyed) return
    const unsent = response.writableLength
    const isOverShare = this.#unsentBytes > ALL_UNSENT_BYTES_MAX && unsent > SHARE_BYTES
    if (unsent <= UNSENT_BYTES_MAX && !isOverShare) response.write(bytes)
    else {
      this.#unsentBytes -= unsent
      response.destroy()
    }
  }

  #frame(json: string): Buffer {
    if (json !== this.#last.json) {
      this.#last = { json, bytes: frame(json) }
      this.#count()
    }
    return this.#last.bytes
  }

  #count(): void {
    this.#unsentBytes = 0
    for (const response of this.#open) this.#unsentBytes += response.writableLength
  }

  #beat(beat: () => void): () => void {
    const schedule = (): ReturnType<Clock['after']> =>
      this.#clock.after(HEARTBEAT_MS, () => {
        beat()
        timer = schedule()
      })
    let timer = schedule()
    return () => timer.cancel()
  }

  /** Ends all streams: the server is closing. */
  close(): void {
    for (const response of this.#open) response.end()
  }
}

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // nginx would otherwise keep messages until its buffer is full.
  'X-Accel-Buffering': 'no',
}

const HEARTBEAT = Buffer.from(': \n\n')

/** JSON has no line ends. */
function frame(json: string): Buffer {
  return Buffer.from(`data: ${json}\n\n`)
}
