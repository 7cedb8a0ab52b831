import {
  connectorConfig,
  type Database,
  eventually,
  freePort,
  kafkaClient,
  Service,
  uniqueName,
} from '@tributary/testkit'
import { FollowedTopic, type TopicAudit } from './followed-topic.ts'

export interface CrewOptions {
  readonly database: Database
  readonly bootstrapServers: readonly string[]
  readonly workers: number
  readonly connectors: number
  /** Of the topics. Default 1. */
  readonly replicas?: number
  readonly env?: Readonly<Record<string, string>>
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

/** Workers of one group, and connectors with a table and a topic each. Rows are inserted with ids from 1 on. */
export class Crew implements AsyncDisposable {
  readonly name: string
  readonly workers: readonly Service[]
  readonly connectors: readonly string[]
  readonly #options: CrewOptions
  readonly #topics = new Map<string, FollowedTopic>()
  #last = 0

  private constructor(options: CrewOptions, ports: readonly number[]) {
    const { bootstrapServers, connectors, env = {} } = options
    this.name = uniqueName('crew')
    this.#options = options
    this.workers = ports.map((port) => new Service({ bootstrapServers, name: this.name, env }, port))
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
    await using admin = kafkaClient(bootstrapServers).admin()
    for (const name of this.connectors) {
      await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY, note TEXT)`)
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
    const { database, bootstrapServers } = this.#options
    return connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
  }

  /** Inserts a row in each table. */
  async insert(): Promise<void> {
    this.#last += 1
    const { database } = this.#options
    await database.query(
      this.connectors.map((name) => `INSERT INTO ${name}.t VALUES (${this.#last}, 'row ${this.#last}')`).join(';'),
    )
  }

  /** Inserts a row in each table and waits for all of them; returns the seconds that it took. */
  async untilStreaming(timeoutMs = 90_000): Promise<number> {
    const beganMs = performance.now()
    await this.insert()
    const wanted = this.#last
    const lagging = (): readonly string[] =>
      [...this.#topics].filter(([, { ids }]) => !ids.includes(wanted)).map(([name]) => name)
    await eventually(
      'all connectors stream',
      () => {
        const names = lagging()
        if (names.length > 0) throw new Error(`without row ${wanted}: ${names.join(', ')}`)
        return true
      },
      { timeoutMs },
    )
    return (performance.now() - beganMs) / 1000
  }

  /** How many records all topics have so far. */
  records(): number {
    return [...this.#topics.values()].reduce((sum, { ids }) => sum + ids.length, 0)
  }

  audit(): ReadonlyMap<string, TopicAudit> {
    return new Map([...this.#topics].map(([name, topic]) => [name, topic.audit(this.#last)]))
  }

  async status(connector: string, worker: Service = this.worker(0)): Promise<ConnectorStatus> {
    const { status, json, text } = await worker.rest('GET', `/connectors/${connector}/status`)
    if (status !== 200) throw new Error(`status of ${connector}: ${status} ${text}`)
    return json as ConnectorStatus
  }

  /** The number of running tasks by worker, according to one of them. */
  async tasksByWorker(worker: Service = this.worker(0)): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const name of this.connectors) {
      const { tasks } = await this.status(name, worker)
      for (const { state, worker_id } of tasks)
        if (state === 'RUNNING') counts[worker_id] = (counts[worker_id] ?? 0) + 1
    }
    return counts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker[Symbol.asyncDispose]()))
    await Promise.all([...this.#topics.values()].map((topic) => topic[Symbol.asyncDispose]()))
  }
}

export function idOfWorker({ port }: Service): string {
  return `127.0.0.1:${port}`
}
