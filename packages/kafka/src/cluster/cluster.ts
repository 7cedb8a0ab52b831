import type { API } from '@platformatic/kafka'
import { doneOr, Outage, retry, StoppedError, type Clock, type Logger } from '@tributary/support'
import type { BrokerConnection } from '../network/broker-connection.ts'
import type { LoginOptions } from '../network/broker-login.ts'
import { request } from '../network/codec.ts'
import type { Endpoint } from '../network/socket.ts'
import { BrokerPool } from './broker-pool.ts'
import { requestMetadata, type ClusterMetadata, type MetadataQuery } from './metadata.ts'

/** What all clients of one `Kafka` share. */
export interface ClusterContext {
  readonly bootstrapServers: readonly Endpoint[]
  /** The property that names them. */
  readonly serversSetting: string
  readonly login: LoginOptions
  readonly metadataMaxAgeMs: number
  readonly logger: Logger
  readonly clock: Clock
  /** New topics for whose leaders somebody has waited: told to the log once each. */
  readonly announcedTopics: Set<string>
}

/** Pauses between tries while brokers are away: short at first, since a leader election takes a fraction of a second. */
const RETRY_PAUSES = { initialMs: 50, maxMs: 5000 } as const

/** `any`: whichever broker answers; `controller`: the one that administers topics; a number: that node. */
export type Target = 'any' | 'controller' | number

/** The cluster as one client sees it: where its brokers are, requests to them, and waiting for them. */
export class Cluster implements AsyncDisposable {
  readonly context: ClusterContext
  readonly pool: BrokerPool

  constructor(context: ClusterContext) {
    this.context = context
    this.pool = new BrokerPool(context)
  }

  /** Asks for metadata, once. */
  async metadata(query: MetadataQuery, signal?: AbortSignal): Promise<ClusterMetadata> {
    const connection = await this.pool.anyConnection(signal)
    const metadata = await requestMetadata(connection, query)
    this.pool.setAddresses(metadata.brokers)
    return metadata
  }

  /** Makes one request. Error codes in the response are the caller's. */
  async request<Arguments extends unknown[], Response>(
    target: Target,
    api: API<Arguments, Response>,
    ...parameters: Arguments
  ): Promise<Response> {
    return request(await this.#connection(target), api, ...parameters)
  }

  /**
   * Does the work until it succeeds, while what it throws says that waiting may help. What is waited for is logged once.
   * Rejects with what cannot be waited out, or StoppedError when the signal fires or the cluster is closed.
   */
  async waitingOut<T>(subject: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock, logger } = this.context
    const outage = new Outage(logger, clock, subject)
    const stop = signal === undefined ? this.pool.stopped : AbortSignal.any([signal, this.pool.stopped])
    if (stop.aborted) throw new StoppedError()
    const result = await retry(() => doneOr(work(), stop), {
      ...RETRY_PAUSES,
      clock,
      signal: stop,
      onRetry: (error) => outage.begin(error),
    })
    outage.end()
    return result
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #connection(target: Target): Promise<BrokerConnection> {
    if (target === 'any') return this.pool.anyConnection()
    if (target !== 'controller') return this.pool.questionsTo(target)
    const { controllerId } = await this.metadata({ topics: [], createsMissing: false })
    // Between two controllers there is none; any broker then says so, and the request is made again.
    return controllerId < 0 ? this.pool.anyConnection() : this.pool.questionsTo(controllerId)
  }
}
