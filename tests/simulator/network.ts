import { kafkaErrors, type BrokerSocket, type OpenSocket } from '@tributary/kafka'
import type { ClientSocket } from '@tributary/broker'
import { StoppedError } from '@tributary/support'
import type { Random } from './random.ts'
import type { Cancellable, Domain, Scheduler } from './scheduler.ts'

/** The network side of a process. */
export interface NetworkState {
  /**
   * Bytes written before this time leave the machine at this time: the network card, the switch or the packet filter
   * loses everything, and TCP sends it again.
   */
  stalledUntilMs: number
  /** Writes until the process is killed in the middle of what it does; null: it is not. */
  writesToLive: number | null
  /** The process is frozen while the send buffer takes a Produce request in part only; null: it is not. */
  freezeInWrite: FreezeInWrite | null
}

export interface FreezeInWrite {
  /** Produce requests before that one. */
  requests: number
  readonly freeze: () => void
}

/** Bytes on their way in one direction. */
interface Delivery {
  /** When they leave the machine of the sender. */
  readonly leavesMs: number
  readonly event: Cancellable
}

export interface Listener {
  /** The process that serves; its events do not happen while it is frozen. */
  readonly domain: Domain
  readonly isUp: () => boolean
  readonly accept: (socket: SimulatedSocket) => void
}

/**
 * Connections between processes. Bytes of one direction arrive in order, after a delay of their own for each write;
 * those of different connections overtake each other. Bytes on their way may be lost with their connection.
 *
 * The time between leaving a machine and arriving at another has a limit (`latencyMsMax`), as the lease of a worker
 * assumes. The time in the buffers of the sender has none.
 */
export class Network {
  readonly #scheduler: Scheduler
  readonly #random: Random
  readonly #listeners = new Map<string, Listener>()
  readonly #states = new Map<Domain, NetworkState>()
  readonly #connections = new Set<SimulatedSocket>()
  readonly latencyMsMax: number
  /** The usual delay, of which each write has between a third and three times as much. */
  latencyMs = 0.5
  /** What the send buffer of a connection takes at once. */
  sendBufferBytes: number = Infinity
  /**
   * Whether the system still sends, when the network of the machine works again, what a process that was killed has
   * written.
   */
  sendsForTheDead: boolean = true

  constructor(scheduler: Scheduler, random: Random, latencyMsMax: number) {
    this.#scheduler = scheduler
    this.#random = random
    this.latencyMsMax = latencyMsMax
  }

  /** `address`: `host:port`. */
  listen(address: string, listener: Listener): void {
    this.#listeners.set(address, listener)
  }

  state(domain: Domain): NetworkState {
    const { process } = domain
    let state = this.#states.get(process)
    if (state === undefined) {
      state = { stalledUntilMs: 0, writesToLive: null, freezeInWrite: null }
      this.#states.set(process, state)
    }
    return state
  }

  delay(): number {
    return Math.min(this.latencyMsMax, this.latencyMs * this.#random.spread(33, 300) * 0.01)
  }

  /** When something leaves the machine. */
  leavesMs(domain: Domain): number {
    return Math.max(this.#scheduler.nowMs, this.state(domain).stalledUntilMs)
  }

  /** For the clients of a process or thread. */
  openSocket(domain: Domain): OpenSocket {
    return ({ endpoint, timeoutMs, signal }) => {
      const address = `${endpoint.host}:${endpoint.port}`
      const unreachable = (reason: string): Error => kafkaErrors.BROKER_UNREACHABLE({ broker: address, reason })
      if (signal?.aborted) return Promise.reject(new StoppedError())
      return new Promise((resolve, reject) => {
        const timer = this.#scheduler.after(timeoutMs, domain, () => settle(() => reject(unreachable('timeout'))))
        const onAbort = (): void => settle(() => reject(new StoppedError()))
        signal?.addEventListener('abort', onAbort, { once: true })
        let isSettled = false
        const settle = (then: () => void): void => {
          if (isSettled) return
          isSettled = true
          timer.cancel()
          signal?.removeEventListener('abort', onAbort)
          then()
        }
        this.#connect(domain, address, (socket) => {
          if (isSettled) {
            socket?.destroy()
            return
          }
          settle(() => (socket === null ? reject(unreachable('connection refused')) : resolve(socket)))
        })
      })
    }
  }

  #connect(domain: Domain, address: string, done: (socket: SimulatedSocket | null) => void): void {
    const scheduler = this.#scheduler
    const arrivesMs = this.leavesMs(domain) + this.delay()
    scheduler.at(arrivesMs, null, () => {
      const listener = this.#listeners.get(address)
      const backMs = scheduler.nowMs + this.delay()
      if (domain.isDead) return
      if (listener === undefined || !listener.isUp()) {
        scheduler.at(backMs, domain, () => done(null))
        return
      }
      const client = new SimulatedSocket(this, scheduler, domain)
      const server = new SimulatedSocket(this, scheduler, listener.domain)
      client.join(server, address)
      this.#connections.add(client)
      client.onEnd(() => this.#connections.delete(client))
      scheduler.in(listener.domain, () => listener.accept(server))
      scheduler.at(backMs, domain, () => done(client))
    })
  }

  /** Cuts connections of a process, those that the predicate chooses. Bytes on their way arrive or are lost. */
  cut(domain: Domain, isCut: (address: string) => boolean = () => true): number {
    let count = 0
    for (const socket of this.#connections) {
      if (socket.domain.process !== domain.process || !isCut(socket.address)) continue
      socket.cut(this.#random)
      count += 1
    }
    return count
  }

  /** The listener has gone. */
  cutAll(address: string): number {
    let count = 0
    for (const socket of this.#connections) {
      if (socket.address !== address) continue
      socket.cut(this.#random)
      count += 1
    }
    return count
  }
}

const PRODUCE_API_KEY = 0

type Listeners = { [event: string]: ((argument: never) => void)[] }

/** What the send buffer has not taken. libuv writes it when there is room, before any code of the process runs. */
interface KeptWrite {
  readonly bytes: Buffer
  readonly onTaken: (() => void) | undefined
}

/** Whether these bytes begin a request of that kind: size INT32, request_api_key INT16, … */
function isProduce(bytes: Buffer): boolean {
  return bytes.length >= 6 && bytes.readInt16BE(4) === PRODUCE_API_KEY
}

/** One end of a connection. */
export class SimulatedSocket implements BrokerSocket, ClientSocket {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 0
  readonly writableNeedDrain = false
  readonly domain: Domain
  address = ''
  destroyed = false
  readonly #network: Network
  readonly #scheduler: Scheduler
  readonly #listeners: Listeners = {}
  readonly #outgoing = new Set<Delivery>()
  readonly #onEnd: (() => void)[] = []
  #peer: SimulatedSocket | null = null
  #lastArrivalMs = 0
  #corked: Buffer[] | null = null
  #kept: KeptWrite[] = []
  #isPaused = false
  #unread: Buffer[] = []

  constructor(network: Network, scheduler: Scheduler, domain: Domain) {
    this.#network = network
    this.#scheduler = scheduler
    this.domain = domain
    domain.onDeath(() => this.#onDeath())
  }

  join(peer: SimulatedSocket, address: string): void {
    this.#peer = peer
    peer.#peer = this
    this.address = address
    peer.address = address
  }

  onEnd(run: () => void): void {
    this.#onEnd.push(run)
  }

  setNoDelay(): this {
    return this
  }

  on(event: 'data' | 'error' | 'close' | 'drain', listener: (argument: never) => void): this {
    const listeners = (this.#listeners[event] ??= [])
    listeners.push(listener)
    return this
  }

  cork(): void {
    this.#corked ??= []
  }

  uncork(): void {
    const chunks = this.#corked
    this.#corked = null
    if (chunks !== null && chunks.length > 0) this.#write(Buffer.concat(chunks), undefined)
  }

  write(chunk: Buffer, onTaken?: () => void): boolean {
    // A copy: the caller reuses its buffers, and the system copies what is written.
    if (this.#corked === null) this.#write(Buffer.from(chunk), onTaken)
    else this.#corked.push(Buffer.from(chunk))
    return true
  }

  get writableLength(): number {
    return this.#kept.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  /** No login is refused in a simulation. */
  end(): void {
    this.destroy()
  }

  pause(): this {
    this.#isPaused = true
    return this
  }

  resume(): this {
    this.#isPaused = false
    const unread = this.#unread
    this.#unread = []
    for (const chunk of unread) this.#emit('data', chunk)
    return this
  }

  isPaused(): boolean {
    return this.#isPaused
  }

  /** What the system has taken is still sent. */
  destroy(): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.#kept = []
    this.#finish()
    this.#closePeer()
    return this
  }

  /** What has not left the machine is dropped. */
  resetAndDestroy(): this {
    if (this.destroyed) return this
    this.#dropUnsent()
    this.#kept = []
    return this.destroy()
  }

  #dropUnsent(): void {
    const nowMs = this.#scheduler.nowMs
    for (const { leavesMs, event } of this.#outgoing) if (leavesMs > nowMs) event.cancel()
  }

  /** Both ends see the end of the connection; of the bytes on their way a random part is lost. */
  cut(random: Random): void {
    for (const end of [this, this.#peer]) {
      if (end === null || end.destroyed) continue
      end.#loseSome(random)
      end.destroyed = true
      end.#outgoing.clear()
      end.#kept = []
      const { domain } = end
      this.#scheduler.after(this.#network.delay(), domain, () => {
        end.#emit('error', new Error('the connection was cut'))
        end.#emit('close', undefined)
      })
      end.#end()
    }
  }

  #loseSome(random: Random): void {
    let isLost = false
    for (const { event } of this.#outgoing) {
      isLost ||= random.chance(0.5)
      if (isLost) event.cancel()
    }
  }

  #finish(): void {
    this.#scheduler.after(0, this.domain, () => this.#emit('close', undefined))
    this.#end()
  }

  #end(): void {
    for (const run of this.#onEnd.splice(0)) run()
  }

  /** The end arrives after the bytes. */
  #closePeer(): void {
    const peer = this.#peer
    if (peer === null || peer.destroyed) return
    const leavesMs = this.#network.leavesMs(this.domain)
    const atMs = Math.max(this.#lastArrivalMs, leavesMs + this.#network.delay())
    this.#scheduler.at(atMs, peer.domain, () => {
      if (peer.destroyed) return
      peer.destroyed = true
      peer.#emit('close', undefined)
      peer.#end()
    })
  }

  /** The system closes the connections of a process that has ended. */
  #onDeath(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#kept = []
    if (!this.#network.sendsForTheDead && this.domain.process.isDead) this.#dropUnsent()
    this.#end()
    this.#closePeer()
  }

  #write(bytes: Buffer, onTaken: (() => void) | undefined): void {
    if (this.#kept.length > 0) {
      this.#kept.push({ bytes, onTaken })
      return
    }
    const { freezeInWrite } = this.#network.state(this.domain)
    if (freezeInWrite !== null && isProduce(bytes) && freezeInWrite.requests-- <= 0) {
      this.#network.state(this.domain).freezeInWrite = null
      this.#writeInPart(bytes, onTaken, Math.floor(bytes.length / 2))
      freezeInWrite.freeze()
      return
    }
    if (bytes.length > this.#network.sendBufferBytes) {
      this.#writeInPart(bytes, onTaken, this.#network.sendBufferBytes)
      return
    }
    this.#send(bytes)
    if (onTaken !== undefined) queueMicrotask(onTaken)
  }

  #writeInPart(bytes: Buffer, onTaken: (() => void) | undefined, taken: number): void {
    if (taken > 0) this.#send(bytes.subarray(0, taken))
    this.#kept.push({ bytes: bytes.subarray(taken), onTaken })
    // The next event of this process; the first one when it was frozen.
    this.#scheduler.after(0, this.domain, () => this.#sendKept())
  }

  #sendKept(): void {
    const kept = this.#kept
    this.#kept = []
    for (const { bytes, onTaken } of kept) {
      this.#send(bytes)
      if (onTaken !== undefined) queueMicrotask(onTaken)
    }
  }

  #send(bytes: Buffer): void {
    const peer = this.#peer
    const state = this.#network.state(this.domain)
    if (state.writesToLive !== null) {
      state.writesToLive -= 1
      if (state.writesToLive < 0) {
        this.domain.process.kill()
        return
      }
    }
    if (peer === null || this.destroyed) return
    const leavesMs = this.#network.leavesMs(this.domain)
    const arrivesMs = Math.max(this.#lastArrivalMs, leavesMs + this.#network.delay())
    this.#lastArrivalMs = arrivesMs
    const event = this.#scheduler.at(arrivesMs, peer.domain, () => {
      this.#outgoing.delete(delivery)
      if (peer.destroyed) return
      if (peer.#isPaused) peer.#unread.push(bytes)
      else peer.#emit('data', bytes)
    })
    const delivery: Delivery = { leavesMs, event }
    this.#outgoing.add(delivery)
  }

  #emit(event: string, argument: unknown): void {
    for (const listener of this.#listeners[event] ?? []) (listener as (argument: unknown) => void)(argument)
  }
}
