import { createServer, connect } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

export interface FaultProxyOptions {
  readonly target: { readonly host: string; readonly port: number }
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string
  /** The port to listen on; a free one by default. */
  readonly port?: number
}

export type Direction = 'fromTarget' | 'toTarget'

/** A TCP proxy that can cut, refuse and stall connections. */
export interface FaultProxy extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Open connections. */
  readonly connections: number
  /** Connections accepted since the start. */
  readonly accepted: number
  /** Bytes forwarded since the start, per direction. */
  readonly bytes: Readonly<Record<Direction, number>>
  /** Resets every open connection (RST on both sides); new ones work. */
  cut(): void
  /** Resets every open connection and each new one, until `resume`. */
  refuse(): void
  /** Forwards nothing until `resume`, on old and new connections; they stay open. */
  stall(): void
  /** The bytes from clients that the proxy holds back since `stall`; of each connection the first 64 KB. */
  heldBack(): Buffer
  /** Ends `stall` and `refuse`; forwards the bytes that were held back. */
  resume(): void
  /** Forwards exactly `count` more bytes in that direction, over all connections, then cuts once. */
  cutAfterBytes(count: number, direction?: Direction): void
  /**
   * Called with the bytes of a connection before they are forwarded; `link` identifies the connection. If it resets the
   * connection (`cut`, `refuse`), they are not forwarded. Null at first.
   */
  onBytes: ((bytes: Buffer, direction: Direction, link: object) => void) | null
  /** Resets open connections and stops listening. */
  close(): Promise<void>
}

/** Starts a proxy in front of a server, so that a test can cut, stall and refuse its connections. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new TcpFaultProxy(options)
  await proxy.listen(options.port ?? 0)
  return proxy
}

interface Link {
  readonly client: Socket
  readonly target: Socket
  readonly held: Readonly<Record<Direction, Held>>
}

/** The bytes of one direction that a stalled proxy holds back. */
interface Held {
  chunks: Buffer[]
  hasEnded: boolean
}

/** Limit per direction. After that the proxy stops reading, and the sender's buffers fill, as when a network fails. */
const HELD_BYTES_MAX = 65_536

type State = 'forwarding' | 'stalled' | 'refusing'

class TcpFaultProxy implements FaultProxy {
  readonly host: string
  readonly bytes: Record<Direction, number> = { fromTarget: 0, toTarget: 0 }
  port = 0
  accepted = 0
  onBytes: FaultProxy['onBytes'] = null
  readonly #target: FaultProxyOptions['target']
  readonly #server: Server
  readonly #links = new Set<Link>()
  /** Bytes that the proxy still forwards before the cut, per direction. */
  readonly #allowance: Record<Direction, number> = { fromTarget: Infinity, toTarget: Infinity }
  #state: State = 'forwarding'

  constructor({ target, host = '127.0.0.1' }: FaultProxyOptions) {
    this.#target = target
    this.host = host
    // Half-open connections stay open: a peer that has finished writing still expects an answer.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client))
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, this.host, resolve)
    })
    this.port = (this.#server.address() as AddressInfo).port
    this.#server.unref()
  }

  get connections(): number {
    return this.#links.size
  }

  cut(): void {
    for (const link of this.#links) this.#reset(link)
  }

  refuse(): void {
    this.#state = 'refusing'
    this.cut()
  }

  stall(): void {
    this.#state = 'stalled'
  }

  heldBack(): Buffer {
    return Buffer.concat([...this.#links].flatMap(({ held }) => held.toTarget.chunks))
  }

  resume(): void {
    this.#state = 'forwarding'
    for (const link of this.#links) {
      this.#release(link, 'toTarget')
      this.#release(link, 'fromTarget')
    }
  }

  cutAfterBytes(count: number, direction: Direction = 'fromTarget'): void {
    this.#allowance[direction] = count
  }

  async close(): Promise<void> {
    this.refuse()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #accept(client: Socket): void {
    this.accepted += 1
    if (this.#state === 'refusing') {
      client.on('error', () => undefined)
      client.resetAndDestroy()
      return
    }
    const target = connect({ ...this.#target, allowHalfOpen: true, noDelay: true })
    const link: Link = { client, target, held: { toTarget: nothingHeld(), fromTarget: nothingHeld() } }
    this.#links.add(link)
    this.#forward(link, 'toTarget')
    this.#forward(link, 'fromTarget')
  }

  #forward(link: Link, direction: Direction): void {
    const { from, to } = ends(link, direction)
    from.on('data', (chunk: Buffer) => {
      if (this.#state === 'stalled') this.#hold(link, chunk, direction)
      else this.#pass(link, chunk, direction)
    })
    to.on('drain', () => {
      if (this.#state === 'forwarding') from.resume()
    })
    from.on('end', () => {
      if (this.#state === 'stalled') link.held[direction].hasEnded = true
      else to.end()
    })
    from.on('error', () => this.#reset(link))
    from.on('close', () => {
      if (from.readableEnded && to.writableEnded) this.#links.delete(link)
      else this.#reset(link)
    })
  }

  #hold(link: Link, chunk: Buffer, direction: Direction): void {
    const { chunks } = link.held[direction]
    chunks.push(chunk)
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
    if (bytes >= HELD_BYTES_MAX) ends(link, direction).from.pause()
  }

  #release(link: Link, direction: Direction): void {
    const { chunks, hasEnded } = link.held[direction]
    link.held[direction].chunks = []
    const { from, to } = ends(link, direction)
    from.resume()
    for (const chunk of chunks) this.#pass(link, chunk, direction)
    if (hasEnded) to.end()
  }

  #pass(link: Link, chunk: Buffer, direction: Direction): void {
    this.onBytes?.(chunk, direction, link)
    if (!this.#links.has(link)) return
    const { from, to } = ends(link, direction)
    const part = chunk.subarray(0, this.#allowance[direction])
    const isLast = part.length === this.#allowance[direction]
    this.#allowance[direction] -= part.length
    this.bytes[direction] += part.length
    if (isLast) {
      this.#allowance[direction] = Infinity
      // The allowed bytes must be sent before the reset, which discards unsent bytes.
      to.write(part, () => this.cut())
      from.pause()
    } else if (!to.write(part)) {
      from.pause()
    }
  }

  #reset(link: Link): void {
    this.#links.delete(link)
    link.client.resetAndDestroy()
    link.target.resetAndDestroy()
  }
}

function ends({ client, target }: Link, direction: Direction): { readonly from: Socket; readonly to: Socket } {
  return direction === 'toTarget' ? { from: client, to: target } : { from: target, to: client }
}

function nothingHeld(): Held {
  return { chunks: [], hasEnded: false }
}
