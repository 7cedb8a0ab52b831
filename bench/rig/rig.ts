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
import { before, tributaryScraped, type System } from '../systems/system.ts'
import { scrapeEverySecond } from './scraper.ts'

export interface RigOptions extends Pick<BenchOptions, 'flavor' | 'entry'>, Partial<Pick<BenchOptions, 'servers'>> {
  /** Entry file of the build that runs as the system `before`. */
  readonly entryBefore?: string | null
  /** Node's arguments for every service of the current build. */
  readonly nodeArgs?: readonly string[]
}

export interface ConnectorPlan {
  /** `topic.prefix`; also names the connector and the service. */
  readonly prefix: string
  /** `database.include.list` */
  readonly includes: string
  readonly more?: Readonly<Record<string, string>>
}

export interface WorkerPlan {
  /** Names the worker's group and internal topics. Default: the name of the system. */
  readonly name?: string
  /** Maximum heap of the reference. */
  readonly heapMaxMb?: number
  /** Properties of a reference's worker, which take precedence over those of the system. */
  readonly properties?: Readonly<Record<string, string>>
}

/** Deletes the files of deleted topics after a second instead of a minute, before the next run begins. */
const BROKER = { 'log.segment.delete.delay.ms': '1000' }

/**
 * One broker and one database (MySQL with TLS and GTIDs), with buffers as in production, and the services that use
 * them.
 */
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
    // Debezium 3.6.1 cannot stream from a server with GTIDs enabled that has not written any yet.
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

  /** Starts a service of the current build. The rig stops it when it is disposed of. */
  async service(name: string, properties: Readonly<Record<string, string>> = {}): Promise<Service> {
    const { entry, nodeArgs = [] } = this.#options
    return this.#startService(name, { ...(entry !== null && { entry }), nodeArgs, properties })
  }

  async #startService(name: string, build: Build): Promise<Service> {
    const { bootstrapServers } = this
    // Restores the service's default, because the testkit sets a shorter interval.
    const { properties = {}, ...program } = build
    const given = Object.entries(properties).map(([property, value]) => [variableOf(property), value] as const)
    const env = { OFFSET_FLUSH_INTERVAL_MS: undefined, ...Object.fromEntries(given) }
    return this.#stack.use(await startService({ bootstrapServers, name, env, ...program }))
  }

  /** Starts a worker of a system. The rig stops it when it is disposed of. */
  async worker(system: System, plan: WorkerPlan = {}): Promise<Service> {
    const { name = system.name, heapMaxMb = HEAP_MAX_MB, properties = {} } = plan
    if (system === before) {
      const { entryBefore } = this.#options
      if (entryBefore === null || entryBefore === undefined) throw new Error('the rig has no build for `before`')
      return this.#startService(name, { entry: entryBefore })
    }
    if (system === tributaryScraped) return this.#scrapedService(name)
    if (system.kind === 'tributary') return this.service(name, system.worker)
    const { bootstrapServers } = this
    const javaArgs = javaSettings(heapMaxMb)
    const product = `Kafka Connect ${await kafkaVersion()} with Debezium ${debeziumVersion}`
    this.#options.servers?.add(`${product}, java ${javaArgs.join(' ')}`)
    const pluginPaths = this.#pluginPaths
    const options = { bootstrapServers, name, javaArgs, pluginPaths, properties: { ...system.worker, ...properties } }
    return this.#stack.use(await startConnect(options))
  }

  async #scrapedService(name: string): Promise<Service> {
    const service = await this.service(name)
    this.#stack.use(scrapeEverySecond(`${service.url}/metrics`))
    return service
  }

  /** Starts a schema registry. Workers of the reference that are started afterwards can write Avro. */
  async registry(): Promise<RegistryServer> {
    this.#pluginPaths = [await avroConverterPluginPath()]
    const registry = this.#stack.use(await startRegistry())
    this.#options.servers?.add(`Apicurio Registry ${apicurioVersion}`)
    return registry
  }

  /** Starts one worker per system, all at once. */
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

  /**
   * Starts a service, lets its connector finish the snapshot, and stops it, so that later changes wait for it in the
   * binlog.
   */
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

interface Build {
  readonly entry?: string
  readonly nodeArgs?: readonly string[]
  /** The properties of the worker. */
  readonly properties?: Readonly<Record<string, string>>
}

function variableOf(property: string): string {
  return `CONNECT_${property.toUpperCase().replaceAll('.', '_')}`
}

/** The log line at the start of streaming; both systems write it. */
export const CONNECTED: RegExp = /Connected to binlog at/

/** Takes seconds on an idle machine. On a busy one it may take longer, which the figures then show. */
export const CONNECTED_WITHIN_MS = 300_000

/** The testkit's MariaDB has no certificate. */
const TLS_MODE = { mysql: 'required', mariadb: 'preferred' } as const
