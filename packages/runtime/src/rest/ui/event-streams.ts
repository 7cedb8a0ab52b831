import type { ServerResponse } from 'node:http'
import type { Clock } from '@tributary/support'
import type { Role } from '../access/logins.ts'
import type { MessageSource } from './page-options.ts'

/** Two for each open page. */
const STREAMS_MAX = 64
/** A client that reads this much too slowly is disconnected. The first message of a worker with many connectors is 3 MB. */
const UNSENT_BYTES_MAX = 16 * 2 ** 20
/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000

/** The open streams of server-sent events: their number and what each may hold is limited. */
export class EventStreams {
  readonly #clock: Clock
  readonly #open = new Set<ServerResponse>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isFull(): boolean {
    return this.#open.size >= STREAMS_MAX
  }

  /** Answers with the messages of the source until the client closes the connection or reads too slowly. */
  open(response: ServerResponse, source: MessageSource, role: Role): void {
    this.#open.add(response)
    const write = (text: string): void => {
      if (response.writableLength > UNSENT_BYTES_MAX) response.destroy()
      else response.write(text)
    }
    response.writeHead(200, headers)
    write(frame(source.start(role)))
    const unlisten = source.listen((json) => write(frame(json)))
    const stopHeartbeat = this.#beat(() => write(': \n\n'))
    response.once('close', () => {
      unlisten()
      stopHeartbeat()
      this.#open.delete(response)
    })
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

/** JSON has no line ends. */
function frame(json: string): string {
  return `data: ${json}\n\n`
}
