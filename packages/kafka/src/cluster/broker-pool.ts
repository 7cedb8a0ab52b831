import { CodedError, doneOr, isRetriable, StoppedError, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { BrokerConnection } from '../network/broker-connection.ts'
import { openBrokerConnection, type LoginOptions } from '../network/broker-login.ts'
import type { Endpoint } from '../network/socket.ts'

export interface BrokerPoolOptions {
  readonly bootstrapServers: readonly Endpoint[]
  /** The setting that holds them. */
  readonly serversSetting: string
  readonly login: LoginOptions
}

/**
 * The connections of one client. For each broker there is one for Fetch or Produce requests, which may block for long,
 * and one for metadata requests: brokers answer the requests of a connection in order, so that a metadata request after
 * a Fetch would wait until there are records. Metadata requests that any broker can answer share a connection.
 *
 * Each call makes one attempt; the caller retries.
 */
export class BrokerPool implements AsyncDisposable {
  readonly #options: BrokerPoolOptions
  readonly #stop = new AbortController()
  readonly #blocking = new ConnectionSet()
  readonly #metadata = new ConnectionSet()
  #addresses: ReadonlyMap<number, Endpoint> = new Map()
  #anyBroker: BrokerConnection | null = null
  #anyEndpoint: Endpoint | null = null
  #openingAny: Promise<BrokerConnection> | null = null
  #turn = 0

  constructor(options: BrokerPoolOptions) {
    this.#options = options
  }

  /** Fires when the pool is closed. */
  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  /** Stores the current addresses of the brokers. */
  setAddresses(addresses: ReadonlyMap<number, Endpoint>): void {
    // A broker that has just started may not know any broker yet.
    if (addresses.size > 0) this.#addresses = addresses
  }

  /** `id (host:port)`, or `id` of a broker whose address is unknown. */
  describe(nodeId: number): string {
    const endpoint = this.#addresses.get(nodeId)
    return endpoint === undefined ? String(nodeId) : `${nodeId} (${endpoint.host}:${endpoint.port})`
  }

  /**
   * The connection to this broker for requests that may block. Rejects with the error of `openBrokerConnection`,
   * BROKER_UNREACHABLE when the cluster does not have the broker, or StoppedError.
   */
  connectionTo(nodeId: number, signal?: AbortSignal): Promise<BrokerConnection> {
    return this.#connectionOf(this.#blocking, nodeId, signal)
  }

  /** A connection to this broker for requests that it answers at once. Rejects like `connectionTo`. */
  metadataConnectionTo(nodeId: number, signal?: AbortSignal): Promise<BrokerConnection> {
    const any = this.#anyBroker
    const isShared = any !== null && isUsable(any) && isSame(this.#anyEndpoint, this.#addresses.get(nodeId))
    return isShared ? Promise.resolve(any) : this.#connectionOf(this.#metadata, nodeId, signal)
  }

  #connectionOf(
    { open, opening }: ConnectionSet,
    nodeId: number,
    signal: AbortSignal | undefined,
  ): Promise<BrokerConnection> {
    const connection = open.get(nodeId)
    if (connection !== undefined && isUsable(connection)) return Promise.resolve(connection)
    let isOpening = opening.get(nodeId)
    if (isOpening === undefined) {
      isOpening = this.#openTo(open, nodeId).finally(() => opening.delete(nodeId))
      opening.set(nodeId, isOpening)
    }
    return doneOr(isOpening, signal)
  }

  /**
   * A connection to any broker. Rejects with CLUSTER_UNREACHABLE, with an error that is not retriable (login rejected),
   * or with StoppedError.
   */
  anyConnection(signal?: AbortSignal): Promise<BrokerConnection> {
    const open = this.#anyBroker
    if (open !== null && isUsable(open)) return Promise.resolve(open)
    this.#openingAny ??= this.#openAny().finally(() => (this.#openingAny = null))
    return doneOr(this.#openingAny, signal)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const sets = [this.#blocking, this.#metadata]
    await Promise.allSettled([...sets.flatMap(({ opening }) => [...opening.values()]), this.#openingAny])
    await Promise.all(sets.flatMap(({ open }) => [...open.values()].map((connection) => connection.close())))
    await this.#anyBroker?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #openTo(open: Map<number, BrokerConnection>, nodeId: number): Promise<BrokerConnection> {
    await open.get(nodeId)?.close()
    const endpoint = this.#addresses.get(nodeId)
    if (endpoint === undefined) {
      throw kafkaErrors.BROKER_UNREACHABLE({
        broker: String(nodeId),
        reason: 'it is not registered in the cluster',
      })
    }
    const connection = await openBrokerConnection(endpoint, this.#options.login, this.stopped)
    open.set(nodeId, connection)
    return connection
  }

  /** Tries the known brokers, starting with the next one at each call, and then the bootstrap servers. */
  async #openAny(): Promise<BrokerConnection> {
    await this.#anyBroker?.close()
    const { bootstrapServers, login } = this.#options
    const known = [...this.#addresses.values()]
    const turn = this.#turn++ % Math.max(1, known.length)
    const candidates = [...known.slice(turn), ...known.slice(0, turn), ...bootstrapServers]
    const failures: Error[] = []
    for (const endpoint of candidates) {
      try {
        this.#anyBroker = await openBrokerConnection(endpoint, login, this.stopped)
        this.#anyEndpoint = endpoint
        return this.#anyBroker
      } catch (thrown) {
        // Every broker needs a token: the next one would wait for the same answer.
        if (thrown instanceof StoppedError || isTokenFailure(thrown)) throw thrown
        failures.push(toError(thrown))
      }
    }
    throw this.#unreachable(failures)
  }

  /** The error when all attempts failed: one that is not retriable if there is one, since retries cannot fix it. */
  #unreachable(failures: readonly Error[]): Error {
    const permanent = failures.find((failure) => !isRetriable(failure))
    if (permanent !== undefined) return permanent
    const last = failures.at(-1)
    const { bootstrapServers, serversSetting: setting } = this.#options
    const servers = bootstrapServers.map(({ host, port }) => `${host}:${port}`).join(', ')
    const reason = last instanceof CodedError ? last.message : String(last)
    return kafkaErrors.CLUSTER_UNREACHABLE({ servers, reason, setting }, last)
  }
}

/** The retriable errors of a login before the connection to a broker. */
const TOKEN_FAILURES: ReadonlySet<string> = new Set(['TOKEN_UNAVAILABLE', 'AWS_CREDENTIALS_MISSING'])

function isTokenFailure(thrown: unknown): boolean {
  return thrown instanceof CodedError && TOKEN_FAILURES.has(thrown.code)
}

/** Connections of one kind, by node. */
class ConnectionSet {
  readonly open = new Map<number, BrokerConnection>()
  readonly opening = new Map<number, Promise<BrokerConnection>>()
}

function isSame(a: Endpoint | null, b: Endpoint | undefined): boolean {
  return a !== null && b !== undefined && a.host === b.host && a.port === b.port
}

/** An expiring connection is used until it is idle. */
function isUsable(connection: BrokerConnection): boolean {
  return connection.isOpen && !(connection.isExpiring && connection.isIdle)
}
