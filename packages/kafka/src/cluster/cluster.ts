import type { API } from '@platformatic/kafka'
import { doneOr, Outage, retry, StoppedError, type Clock, type Logger } from '@tributary/support'
import type { BrokerConnection } from '../network/broker-connection.ts'
import type { LoginOptions } from '../network/broker-login.ts'
import { request } from '../network/codec.ts'
import { RECONNECT_PAUSES } from '../network/reconnect-pauses.ts'
import type { Endpoint } from '../network/socket.ts'
import { BrokerPool } from './broker-pool.ts'
import { requestMetadata, type ClusterMetadata, type MetadataQuery } from './metadata.ts'

/** Settings and state that all clients of one `Kafka` share. */
export interface ClusterContext {
  readonly bootstrapServers: readonly Endpoint[]
  /** The setting that holds them. */
  readonly serversSetting: string
  readonly login: LoginOptions
  readonly metadataMaxAgeMs: number
  /** Whether producers may send requests at the moment. */
  readonly mayWrite: () => boolean
  readonly logger: Logger
  readonly clock: Clock
  /** New topics for which the log reports that a client waits for their leaders: once per topic. */
  readonly announcedTopics: Set<string>
}

/** `any`: any broker; `controller`: the broker that administers topics; a number: the broker with that node id. */
export type Target = 'any' | 'controller' | number

/** One client's access to the cluster: connections to its brokers, requests and retries. */
export class Cluster implements AsyncDisposable {
  readonly context: ClusterContext
  readonly pool: BrokerPool

  constructor(context: ClusterContext) {
    this.context = context
    this.pool = new BrokerPool(context)
  }

  /** Requests metadata, without a retry. */
  async metadata(query: MetadataQuery, signal?: AbortSignal): Promise<ClusterMetadata> {
    const connection = await this.pool.anyConnection(signal)
    const metadata = await requestMetadata(connection, query)
    this.pool.setAddresses(metadata.brokers)
    return metadata
  }

  /** Makes one request, without a retry. The caller checks error codes in the response. */
  async request<Arguments extends unknown[], Response>(
    target: Target,
    api: API<Arguments, Response>,
    ...parameters: Arguments
  ): Promise<Response> {
    return request(await this.#connection(target), api, ...parameters)
  }

  /**
   * Retries the work until it succeeds, as long as its errors are retriable, and logs the outage under the name of the
   * activity ("creating topic orders"). Rejects with an error that is not retriable, or with StoppedError when the
   * signal fires or the cluster is closed.
   */
  async retrying<T>(activity: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock, logger } = this.context
    const outage = new Outage(logger, clock, activity, RECONNECT_PAUSES.maxMs)
    const stop = signal === undefined ? this.pool.stopped : AbortSignal.any([signal, this.pool.stopped])
    if (stop.aborted) throw new StoppedError()
    try {
      const result = await retry(() => doneOr(work(), stop), {
        ...RECONNECT_PAUSES,
        clock,
        signal: stop,
        onRetry: (error) => outage.reportFailure(error),
      })
      outage.reportSuccess()
      return result
    } finally {
      outage.giveUp()
    }
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #connection(target: Target): Promise<BrokerConnection> {
    if (target === 'any') return this.pool.anyConnection()
    if (target !== 'controller') return this.pool.metadataConnectionTo(target)
    const { controllerId } = await this.metadata({ topics: [], createsMissing: false })
    // While there is no controller, any broker answers so (NOT_CONTROLLER), and the caller retries.
    return controllerId < 0 ? this.pool.anyConnection() : this.pool.metadataConnectionTo(controllerId)
  }
}
