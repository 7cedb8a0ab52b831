import {
  apicurioVersion,
  avroConverterPluginPath,
  connectorConfig,
  debeziumVersion,
  kafkaVersion,
  startConnect,
  startKafka,
  startMariaDb,
  startMySql,
  startRegistry,
  startService,
  type DatabaseServer,
  type KafkaServer,
  type RegistryServer,
  type Service,
} from '@tributary/testkit'
import type { BenchOptions } from '../run/bench.ts'
import { HEAP_MAX_MB, javaSettings } from '../systems/java-settings.ts'
import { before, type System } from '../systems/system.ts'

export interface RigOptions extends Pick<BenchOptions, 'flavor' | 'entry'>, Partial<Pick<BenchOptions, 'servers'>> {
  /** Entry file of the build that runs as the system `before`. */
  readonly entryBefore?: string | null
  /** Node's arguments for every service of the current build. */
  readonly nodeArgs?: readonly string[]
}

export interface ConnectorPlan {
  /** `topic.prefix`, also the name of connector and service. */
  readonly prefix: string
  /** `database.include.list` */
  readonly includes: string
  readonly more?: Readonly<Record<string, string>>
}

export interface WorkerPlan {
  /** Names its group and internal topics; default: the name of the system. */
  readonly name?: string
  /** Largest heap of the reference. */
  readonly heapMaxMb?: number
  /** Properties of a reference's worker, over those of the system. */
  readonly properties?: Readonly<Record<string, string>>
}

/** Topics of a run are gone from the disk before the next one begins, not a minute later. */
const BROKER = { 'log.segment.delete.delay.ms': '1000' }

/** One broker and one database (MySQL with TLS and GTIDs) with the buffers of real servers, and services on them. */
export class Rig implements AsyncDisposable {
  readonly kafka: KafkaServer
  readonly database: DatabaseServer
  readonly #options: RigOptions
  readonly #stack: AsyncDisposableStack
  #pluginPaths: readonly string[] = []

  private constructor(parts: { kafka: KafkaServer; database: DatabaseServer }, options: RigOptions) {
    this.kafka = parts.kafka
    this.database = parts.database
    this.#options = options
    this.#stack = new AsyncDisposableStack()
  }

  static async start(options: RigOptions): Promise<Rig> {
    await using stack = new AsyncDisposableStack()
    const kafka = stack.use(await startKafka({ profile: 'bench', config: BROKER }))
    const start = options.flavor === 'mariadb' ? startMariaDb : startMySql
    const database = stack.use(await start({ profile: 'bench' }))
    // Debezium 3.6.1 cannot stream from a server that has GTIDs switched on and has written none yet.
    await database.query('CREATE DATABASE first_of_all')
    const product = options.flavor === 'mariadb' ? 'MariaDB' : 'MySQL'
    options.servers?.add(`Kafka ${await kafkaVersion()}`).add(`${product} ${database.version}`)
    const rig = new Rig({ kafka, database }, options)
    rig.#stack.use(stack.move())
    return rig
  }

  get bootstrapServers(): readonly string[] {
    return this.kafka.bootstrapServers
  }

  /** Starts a service of the current build. The rig stops it at its own end at the latest. */
  async service(name: string): Promise<Service> {
    const { entry, nodeArgs = [] } = this.#options
    return this.#startService(name, { ...(entry !== null && { entry }), nodeArgs })
  }

  async #startService(name: string, build: { entry?: string; nodeArgs?: readonly string[] }): Promise<Service> {
    const { bootstrapServers } = this
    // The service's own default: the testkit's services commit offsets more often.
    const env = { OFFSET_FLUSH_INTERVAL_MS: undefined }
    return this.#stack.use(await startService({ bootstrapServers, name, env, ...build }))
  }

  /** Starts a worker of a system; it ends with the rig at the latest. */
  async worker(system: System, plan: WorkerPlan = {}): Promise<Service> {
    const { name = system.name, heapMaxMb = HEAP_MAX_MB, properties = {} } = plan
    if (system === before) {
      const { entryBefore } = this.#options
      if (entryBefore === null || entryBefore === undefined) throw new Error('the rig has no build for `before`')
      return this.#startService(name, { entry: entryBefore })
    }
    if (system.kind === 'tributary') return this.service(name)
    const { bootstrapServers } = this
    const javaArgs = javaSettings(heapMaxMb)
    const product = `Kafka Connect ${await kafkaVersion()} with Debezium ${debeziumVersion}`
    this.#options.servers?.add(`${product}, java ${javaArgs.join(' ')}`)
    const pluginPaths = this.#pluginPaths
    const options = { bootstrapServers, name, javaArgs, pluginPaths, properties: { ...system.worker, ...properties } }
    return this.#stack.use(await startConnect(options))
  }

  /** Starts a schema registry; it ends with the rig at the latest. Workers of the reference that start later can write Avro. */
  async registry(): Promise<RegistryServer> {
    this.#pluginPaths = [await avroConverterPluginPath()]
    const registry = this.#stack.use(await startRegistry())
    this.#options.servers?.add(`Apicurio Registry ${apicurioVersion}`)
    return registry
  }

  /** A worker for each of the systems, all started at once. */
  async workers(systems: readonly System[]): Promise<ReadonlyMap<System, Service>> {
    return new Map(await Promise.all(systems.map(async (system) => [system, await this.worker(system)] as const)))
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
    await service.waitForLog(CONNECTED, 0, CONNECTED_WITHIN_MS)
    await service.stop()
    return service
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

/** The line of the log with which streaming begins; both systems write it. */
export const CONNECTED: RegExp = /Connected to binlog at/

/** Seconds on a quiet machine; a busy one spoils the figures, and should say so by them. */
export const CONNECTED_WITHIN_MS = 300_000

/** MariaDB of the testkit has no certificate. */
const TLS_MODE = { mysql: 'required', mariadb: 'preferred' } as const
