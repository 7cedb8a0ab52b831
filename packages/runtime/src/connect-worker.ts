import type { ConfigMap, Plugin } from '@tributary/connect-api'
import { createKafka, kafkaOptionsFromProperties, type Kafka } from '@tributary/kafka'
import type { ServerInfo } from '@tributary/rest-api'
import type { Clock, Logger } from '@tributary/support'
import { hostname } from 'node:os'
import { parseWorkerConfig, type WorkerConfig } from './config/worker-config.ts'
import { DistributedHerder } from './herder/distributed-herder.ts'
import { StartingHerder } from './herder/starting-herder.ts'
import { Plugins } from './plugins/plugins.ts'
import { startRestServer, type RestServer } from './rest/rest-server.ts'
import { WorkerStorage } from './storage/worker-storage.ts'
import { Worker } from './worker/worker.ts'

export interface ConnectWorkerOptions {
  /** Worker properties: of a file, of the environment, in this order. */
  readonly properties: ConfigMap
  readonly plugins: readonly Plugin[]
  /** Entry file of a task's thread; it runs `runTaskThread` with the same plug-ins. */
  readonly taskThreadUrl: URL
  /** Identifies the build, for `GET /`. */
  readonly commit: string
  readonly logger: Logger
  readonly clock: Clock
  /** Gives up starting when it fires. */
  readonly signal: AbortSignal
}

/**
 * The version of Kafka Connect whose interface this is: clients choose their requests by it. The version of Tributary itself
 * stands in the statuses of the connectors and in `GET /connector-plugins`.
 */
const CONNECT_VERSION = '4.3.1'

/** A worker with its REST interface, storage and tasks: everything that `tributary start` runs. */
export class ConnectWorker implements AsyncDisposable {
  readonly rest: RestServer
  readonly #config: WorkerConfig
  readonly #herder: DistributedHerder
  readonly #storage: WorkerStorage

  private constructor(parts: {
    rest: RestServer
    config: WorkerConfig
    herder: DistributedHerder
    storage: WorkerStorage
  }) {
    this.rest = parts.rest
    this.#config = parts.config
    this.#herder = parts.herder
    this.#storage = parts.storage
  }

  /** Opens the REST interface, waits for the brokers, reads the internal topics and starts the stored connectors. */
  static async start(options: ConnectWorkerOptions): Promise<ConnectWorker> {
    const { logger, clock, signal } = options
    const config = parseWorkerConfig(options.properties)
    const kafka = createKafka({ ...kafkaOptionsFromProperties(config.properties), logger, clock })
    const servers = config.bootstrapServers.join(',')
    const info = { version: CONNECT_VERSION, commit: options.commit, kafka_cluster_id: '' }
    const starting = new StartingHerder(info, `Waiting for the brokers at ${servers}`)
    const rest = await startRestServer({
      host: config.restHost ?? '::',
      port: config.restPort,
      herder: starting,
      logger,
    })
    try {
      const serverInfo = { ...info, kafka_cluster_id: await clusterId(kafka, signal) }
      starting.stage = 'Reading the internal topics'
      const storage = await WorkerStorage.open(kafka, config, logger, signal)
      const herder = createHerder(options, { config, storage, serverInfo, restPort: rest.port })
      await herder.start()
      starting.handOver(herder)
      logger.info('Worker has completed startup and is ready to handle requests')
      return new ConnectWorker({ rest, config, herder, storage })
    } catch (error) {
      await rest.close()
      throw error
    }
  }

  /** Ends the REST interface, then the tasks with their last offset commits, then the connections. */
  async stop(): Promise<void> {
    await this.rest.close()
    await this.#herder.stop(this.#config.shutdownTimeoutMs)
    await this.#storage.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

interface HerderParts {
  readonly config: WorkerConfig
  readonly storage: WorkerStorage
  readonly serverInfo: ServerInfo
  readonly restPort: number
}

function createHerder(options: ConnectWorkerOptions, parts: HerderParts): DistributedHerder {
  const { plugins, taskThreadUrl, logger, clock } = options
  const { config, storage, serverInfo, restPort } = parts
  return new DistributedHerder({
    plugins: new Plugins(plugins),
    storage,
    clock,
    logger,
    workerId: workerId(config, restPort),
    serverInfo,
    createWorker: (listener) =>
      new Worker({ taskThreadUrl, workerProperties: config.properties, listener, clock, logger }),
  })
}

async function clusterId(kafka: Kafka, signal: AbortSignal): Promise<string> {
  await using admin = kafka.admin()
  return (await admin.cluster(signal)).clusterId
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

function workerId(config: WorkerConfig, restPort: number): string {
  const listening = config.restHost ?? ''
  const host = config.advertisedHost ?? (WILDCARDS.has(listening) ? hostname() : listening)
  return `${host}:${config.advertisedPort ?? restPort}`
}
