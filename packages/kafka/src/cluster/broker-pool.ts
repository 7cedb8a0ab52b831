import { CodedError, doneOr, isRetriable, StoppedError, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { BrokerConnection } from '../network/broker-connection.ts'
import { openBrokerConnection, type LoginOptions } from '../network/broker-login.ts'
import type { Endpoint } from '../network/socket.ts'

export interface BrokerPoolOptions {
  readonly bootstrapServers: readonly Endpoint[]
  /** The property that names them. */
  readonly serversSetting: string
  readonly login: LoginOptions
}

/**
 * The connections of one client: to each broker that it works with one for fetch or produce requests, which may wait there for
 * long, and one for questions. Brokers answer the requests of a connection in order: behind a fetch a question would wait until
 * there are records. Questions that any broker can answer share a connection, with those to the broker that it leads to.
 *
 * Each call makes one try; waiting and trying again is the caller's.
 */
export class BrokerPool implements AsyncDisposable {
  readonly #options: BrokerPoolOptions
  readonly #stop = new AbortController()
  readonly #work = new ConnectionSet()
  readonly #questions = new ConnectionSet()
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

  /** Takes over where the brokers are, as the cluster says now. */
  setAddresses(addresses: ReadonlyMap<number, Endpoint>): void {
    // A broker that has just started may not know the others yet.
    if (addresses.size > 0) this.#addresses = addresses
  }

  /** `id (host:port)` as far as it is known. */
  describe(nodeId: number): string {
    const endpoint = this.#addresses.get(nodeId)
    return endpoint === undefined ? String(nodeId) : `${nodeId} (${endpoint.host}:${endpoint.port})`
  }

  /** The connection to this broker for what may wait there. Rejects with BROKER_UNREACHABLE and the like, or StoppedError. */
  connectionTo(nodeId: number, signal?: AbortSignal): Promise<BrokerConnection> {
    return this.#connectionOf(this.#work, nodeId, signal)
  }

  /** A connection to this broker for what it answers at once. Rejects as `connectionTo` does. */
  questionsTo(nodeId: number, signal?: AbortSignal): Promise<BrokerConnection> {
    const any = this.#anyBroker
    const isThere = any !== null && isUsable(any) && isSame(this.#anyEndpoint, this.#addresses.get(nodeId))
    return isThere ? Promise.resolve(any) : this.#connectionOf(this.#questions, nodeId, signal)
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

  /** A connection to whichever broker answers. Rejects with CLUSTER_UNREACHABLE, a refusal, or StoppedError. */
  anyConnection(signal?: AbortSignal): Promise<BrokerConnection> {
    const open = this.#anyBroker
    if (open !== null && isUsable(open)) return Promise.resolve(open)
    this.#openingAny ??= this.#openAny().finally(() => (this.#openingAny = null))
    return doneOr(this.#openingAny, signal)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const sets = [this.#work, this.#questions]
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
        reason: 'it is not registered in the cluster now',
      })
    }
    const connection = await openBrokerConnection(endpoint, this.#options.login, this.stopped)
    open.set(nodeId, connection)
    return connection
  }

  /** Tries the brokers that are known and the bootstrap servers, beginning with another one each time. */
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
        if (thrown instanceof StoppedError) throw thrown
        failures.push(toError(thrown))
      }
    }
    throw this.#unreachable(failures)
  }

  /** What is wrong when no broker could be used: a refusal if there is one, since waiting does not mend it. */
  #unreachable(failures: readonly Error[]): Error {
    const refusal = failures.find((failure) => !isRetriable(failure))
    if (refusal !== undefined) return refusal
    const last = failures.at(-1)
    const { bootstrapServers, serversSetting: setting } = this.#options
    const servers = bootstrapServers.map(({ host, port }) => `${host}:${port}`).join(', ')
    const reason = last instanceof CodedError ? last.message : String(last)
    return kafkaErrors.CLUSTER_UNREACHABLE({ servers, reason, setting }, last)
  }
}

/** Connections of one kind, by node. */
class ConnectionSet {
  readonly open = new Map<number, BrokerConnection>()
  readonly opening = new Map<number, Promise<BrokerConnection>>()
}

function isSame(a: Endpoint | null, b: Endpoint | undefined): boolean {
  return a !== null && b !== undefined && a.host === b.host && a.port === b.port
}

/** A connection that is worn out is still good for the requests under way on it, and for those that join them. */
function isUsable(connection: BrokerConnection): boolean {
  return connection.isOpen && !(connection.isWornOut && connection.isIdle)
}
