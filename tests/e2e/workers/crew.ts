import {
  connectorConfig,
  type Database,
  eventually,
  freePort,
  kafkaClient,
  Service,
  uniqueName,
} from '@tributary/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { FollowedTopic, RUN_HEADER, type TopicAudit } from './followed-topic.ts'
import type { Machines } from './machines.ts'

export interface CrewOptions {
  readonly database: Database
  readonly bootstrapServers: readonly string[]
  readonly workers: number
  readonly connectors: number
  /** One for each worker; then each connector has a database user of its own. Default: all run on this machine. */
  readonly machines?: Machines
  /** Of the topics. Default 1. */
  readonly replicas?: number
  readonly env?: Readonly<Record<string, string>>
  /** Entry file of another build than this workspace. */
  readonly entry?: string
}

/** The part of a status that the tests look at. */
export interface Item {
  readonly state: string
  readonly worker_id: string
  readonly trace?: string
}

export interface ConnectorStatus {
  readonly connector: Item
  readonly tasks: readonly Item[]
}

/**
 * Workers of one group, and connectors with a table and a topic each. Rows are inserted with ids from 1 on. Each record
 * has a header with the start of the worker that has written it (`Service.run`).
 */
export class Crew implements AsyncDisposable {
  readonly name: string
  readonly workers: readonly Service[]
  readonly connectors: readonly string[]
  /** Environment variables of the workers, which have an effect when one starts. */
  readonly env: Record<string, string>
  readonly #options: CrewOptions
  readonly #topics = new Map<string, FollowedTopic>()
  /** When each row was inserted, since 1970. */
  readonly #insertedMs: number[] = []
  #last = 0
  #complete = 0

  private constructor(options: CrewOptions, ports: readonly number[]) {
    const { bootstrapServers, connectors, machines, entry } = options
    const env = { ...PROVIDERS, ...options.env }
    this.env = env
    this.name = uniqueName('crew')
    this.#options = options
    this.workers = ports.map((port, index) => {
      const machine = machines?.all[index]
      const place = { ...(machine && { machine }), ...(entry !== undefined && { entry }) }
      return new Service({ bootstrapServers, name: this.name, env, ...place }, port)
    })
    this.connectors = Array.from({ length: connectors }, (_, i) => `${this.name}_${i}`)
  }

  /** Starts the workers, and the connectors on the first of them; waits until all connectors stream. */
  static async start(options: CrewOptions): Promise<Crew> {
    const ports = await Promise.all(Array.from({ length: options.workers }, () => freePort()))
    const crew = new Crew(options, ports)
    try {
      await crew.#open()
      return crew
    } catch (error) {
      await crew[Symbol.asyncDispose]()
      throw error
    }
  }

  async #open(): Promise<void> {
    const { database, bootstrapServers, replicas = 1 } = this.#options
    await using admin = (await kafkaClient(bootstrapServers)).admin()
    for (const name of this.connectors) {
      await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY, note TEXT)`)
      if (this.#options.machines !== undefined) await database.query(accountOf(name))
      const topic = `${name}.${name}.t`
      await admin.createTopic({ name: topic, partitions: 1, replicationFactor: replicas })
      this.#topics.set(name, new FollowedTopic(bootstrapServers, topic))
    }
    await Promise.all(this.workers.map((worker) => worker.start()))
    for (const name of this.connectors) await this.worker(0).register(name, this.config(name))
    await this.untilStreaming()
  }

  worker(index: number): Service {
    const worker = this.workers[index]
    if (worker === undefined) throw new Error(`there is no worker ${index}`)
    return worker
  }

  config(name: string): Record<string, string> {
    const { database, bootstrapServers, machines } = this.#options
    const account = { 'database.user': name, 'database.password': PASSWORD }
    const remote = machines && { 'database.hostname': machines.othersAddress, ...account }
    // The measurements of the binlog read the start of its files, with the user of the connector.
    const more = { ...WRITER_HEADER, 'binlog.loss.check.interval.ms': '0', ...remote }
    return connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more })
  }

  /** The id of the last row. */
  get last(): number {
    return this.#last
  }

  /** Up to this row every event has arrived. */
  get complete(): number {
    return this.#complete
  }

  /** Inserts a row in each table. */
  async insert(): Promise<void> {
    this.#last += 1
    this.#insertedMs[this.#last] = Date.now()
    const { database } = this.#options
    await database.query(
      this.connectors.map((name) => `INSERT INTO ${name}.t VALUES (${this.#last}, 'row ${this.#last}')`).join(';'),
    )
  }

  /** Inserts rows all the time until it is disposed of. */
  load(everyMs: number): AsyncDisposable {
    const stop = new AbortController()
    const run = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await this.insert()
        await sleep(everyMs)
      }
    }
    const loop = run()
    loop.catch(() => undefined)
    return {
      [Symbol.asyncDispose]: () => {
        stop.abort()
        return loop
      },
    }
  }

  /**
   * The longest that an event of these rows took from the insertion of its row to its topic, in seconds: while nobody
   * runs a connector, its events wait. All of them must have arrived.
   */
  longestDelay(from: number, to: number): number {
    let longest = 0
    for (const topic of this.#topics.values()) {
      for (let id = from; id <= to; id += 1)
        longest = Math.max(longest, (topic.firstMs(id) ?? Infinity) - (this.#insertedMs[id] ?? 0))
    }
    return longest / 1000
  }

  /** Inserts a row in each table and waits for it and all before it; returns the seconds that it took. */
  async untilStreaming(timeoutMs = 90_000): Promise<number> {
    const beganMs = performance.now()
    await this.insert()
    const wanted = this.#last
    const isComplete = (topic: FollowedTopic): boolean => {
      for (let id = this.#complete + 1; id <= wanted; id += 1) if (!topic.has(id)) return false
      return true
    }
    const lagging = (): readonly string[] =>
      [...this.#topics].filter(([, topic]) => !isComplete(topic)).map(([name]) => name)
    await eventually(
      'all connectors stream',
      () => {
        const names = lagging()
        if (names.length > 0) throw new Error(`without all rows up to ${wanted}: ${names.join(', ')}`)
        return true
      },
      { timeoutMs },
    )
    this.#complete = Math.max(this.#complete, wanted)
    return (performance.now() - beganMs) / 1000
  }

  audit(): ReadonlyMap<string, TopicAudit> {
    const logs = new Map(this.workers.map(({ port, log }) => [String(port), log]))
    return new Map(
      [...this.#topics].map(([name, topic]) => {
        const startsOf = (run: string): readonly number[] => taskStarts(logs.get(run.split('-')[0] ?? '') ?? '', name)
        return [name, topic.audit(this.#complete, startsOf)]
      }),
    )
  }

  async status(connector: string, worker: Service = this.worker(0)): Promise<ConnectorStatus> {
    const { status, json, text } = await worker.rest('GET', `/connectors/${connector}/status`)
    if (status !== 200) throw new Error(`status of ${connector}: ${status} ${text}`)
    return json as ConnectorStatus
  }

  /** The number of running tasks by worker, according to one of them. */
  async tasksByWorker(worker: Service = this.worker(0)): Promise<Readonly<Record<string, number>>> {
    const { json } = await worker.rest('GET', '/connectors?expand=status')
    const counts: Record<string, number> = {}
    for (const { status } of Object.values(json as Record<string, { status: ConnectorStatus }>)) {
      for (const { state, worker_id } of status.tasks)
        if (state === 'RUNNING') counts[worker_id] = (counts[worker_id] ?? 0) + 1
    }
    return counts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker[Symbol.asyncDispose]()))
    await Promise.all([...this.#topics.values()].map((topic) => topic[Symbol.asyncDispose]()))
  }
}

/** When a worker has started the task of a connector according to its log, since 1970. */
function taskStarts(log: string, connector: string): readonly number[] {
  const lines = log.matchAll(new RegExp(String.raw`^(\S+) (\S+),(\d+) .* Starting task ${connector}-0$`, 'gm'))
  return Array.from(lines, ([, date, time, millis]) => new Date(`${date}T${time}.${millis}`).getTime())
}

const PASSWORD = 'crew'

/** The privileges of the testkit's user `debezium`. */
function accountOf(name: string): string {
  const privileges = 'SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES'
  return `CREATE USER ${name} IDENTIFIED BY '${PASSWORD}'; GRANT ${privileges} ON *.* TO ${name}`
}

const PROVIDERS = {
  CONNECT_CONFIG_PROVIDERS: 'env',
  CONNECT_CONFIG_PROVIDERS_ENV_CLASS: 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
}

const WRITER_HEADER = {
  transforms: 'writer',
  'transforms.writer.type': 'org.apache.kafka.connect.transforms.InsertHeader',
  'transforms.writer.header': RUN_HEADER,
  'transforms.writer.value.literal': '${env:SERVICE_RUN}',
}
