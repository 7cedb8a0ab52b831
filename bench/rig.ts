import {
  connectorConfig,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
  type DatabaseServer,
  type KafkaServer,
  type Service,
} from '@tributary/testkit'
import type { BenchOptions } from './bench.ts'

export interface RigOptions extends Pick<BenchOptions, 'flavor' | 'entry'> {
  /** Arguments of Node for every service. */
  readonly nodeArgs?: readonly string[]
  /** Settings of the broker. */
  readonly kafkaConfig?: Readonly<Record<string, string>>
}

export interface ConnectorPlan {
  /** `topic.prefix`, also the name of connector and service. */
  readonly prefix: string
  /** `database.include.list` */
  readonly includes: string
  readonly more?: Readonly<Record<string, string>>
}

/** One broker and one database (MySQL with TLS and GTIDs) with the buffers of real servers, and services on them. */
export class Rig implements AsyncDisposable {
  readonly kafka: KafkaServer
  readonly database: DatabaseServer
  readonly #options: RigOptions
  readonly #stack: AsyncDisposableStack

  private constructor(parts: { kafka: KafkaServer; database: DatabaseServer }, options: RigOptions) {
    this.kafka = parts.kafka
    this.database = parts.database
    this.#options = options
    this.#stack = new AsyncDisposableStack()
  }

  static async start(options: RigOptions): Promise<Rig> {
    await using stack = new AsyncDisposableStack()
    const kafka = stack.use(await startKafka({ profile: 'bench', config: options.kafkaConfig ?? {} }))
    const start = options.flavor === 'mariadb' ? startMariaDb : startMySql
    const database = stack.use(await start({ profile: 'bench' }))
    const rig = new Rig({ kafka, database }, options)
    rig.#stack.use(stack.move())
    return rig
  }

  get bootstrapServers(): readonly string[] {
    return this.kafka.bootstrapServers
  }

  /** Starts a service; it ends with the rig at the latest. */
  async service(name: string): Promise<Service> {
    const { entry, nodeArgs = [] } = this.#options
    const { bootstrapServers } = this
    // The producer is the product's own, with its own defaults; only the time between commits is that of the tests.
    const options = { bootstrapServers, name, nodeArgs, ...(entry === null ? {} : { entry }) }
    return this.#stack.use(await startService(options))
  }

  connectorConfig({ prefix, includes, more = {} }: ConnectorPlan): Record<string, string> {
    const { database, bootstrapServers } = this
    return connectorConfig({
      database,
      bootstrapServers,
      prefix,
      includes,
      more: { 'database.ssl.mode': TLS_MODE[database.flavor], ...more },
    })
  }

  /** A service whose connector has its snapshot behind it, streams, and is then stopped: what happens next waits for it in the binlog. */
  async stoppedService(plan: ConnectorPlan): Promise<Service> {
    const service = await this.service(plan.prefix)
    await service.register(plan.prefix, this.connectorConfig(plan))
    await service.waitForLog(CONNECTED)
    await service.stop()
    return service
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

/** The line of the log with which streaming begins. */
export const CONNECTED: RegExp = /Connected to binlog at/

/** MariaDB of the testkit has no certificate. */
const TLS_MODE = { mysql: 'required', mariadb: 'preferred' } as const
