import { connectorConfig, eventually, freePort, kafkaClient, Service, uniqueName, useMySql } from '@tributary/testkit'
import { NumberedRows, seenBy } from './numbered-rows.ts'

/** The shortest session that brokers allow by default. */
export const SESSION_MS = 6_000

const BOUNDARIES = ['poll', 'interval', 'connector'] as const

const ENV = {
  CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT: 'enabled',
  CONNECT_SESSION_TIMEOUT_MS: String(SESSION_MS),
  CONNECT_HEARTBEAT_INTERVAL_MS: '1000',
}

export interface ExactConnector {
  readonly boundary: (typeof BOUNDARIES)[number]
  readonly rows: NumberedRows
}

/** Workers of one group with exactly-once delivery, and a connector with a table of numbered rows for each boundary. */
export class ExactGroup implements AsyncDisposable {
  readonly workers: readonly Service[]
  readonly connectors: readonly ExactConnector[]
  readonly #bootstrapServers: readonly string[]

  private constructor(
    workers: readonly Service[],
    connectors: readonly ExactConnector[],
    bootstrapServers: readonly string[],
  ) {
    this.workers = workers
    this.connectors = connectors
    this.#bootstrapServers = bootstrapServers
  }

  /** Resolves when all connectors read the binlog and have committed their first row. */
  static async start(bootstrapServers: readonly string[], workerCount: number): Promise<ExactGroup> {
    const name = uniqueName('exact')
    const ports = await Promise.all(Array.from({ length: workerCount }, () => freePort()))
    const workers = ports.map((port) => new Service({ bootstrapServers, name, env: ENV }, port))
    const connectors: ExactConnector[] = []
    for (const boundary of BOUNDARIES) {
      connectors.push({ boundary, rows: await NumberedRows.create(`${name}_${boundary}`) })
    }
    const group = new ExactGroup(workers, connectors, bootstrapServers)
    try {
      await group.#open()
      return group
    } catch (error) {
      await group[Symbol.asyncDispose]()
      throw error
    }
  }

  async #open(): Promise<void> {
    const [first] = this.workers
    await Promise.all(this.workers.map((worker) => worker.start()))
    await using admin = (await kafkaClient(this.#bootstrapServers)).admin()
    for (const connector of this.connectors) {
      const { schema, topic } = connector.rows
      await admin.createTopic({ name: topic, partitions: 3, replicationFactor: 1 })
      await first?.register(schema, await this.#config(connector))
    }
    for (const { rows } of this.connectors) {
      const reads = new RegExp(`${rows.schema}\\|streaming +Connected to binlog at`)
      await eventually(`${rows.schema} reads the binlog`, () => this.workers.some(({ log }) => reads.test(log)))
      await rows.insert(1)
    }
    await eventually('the first rows are committed', () => this.isComplete())
  }

  async #config({ boundary, rows: { schema } }: ExactConnector): Promise<Record<string, string>> {
    const more = {
      'exactly.once.support': 'required',
      'transaction.boundary': boundary,
      'transaction.boundary.interval.ms': '100',
      'snapshot.mode': 'no_data',
    }
    const bootstrapServers = this.#bootstrapServers
    return connectorConfig({ database: await useMySql(), bootstrapServers, prefix: schema, includes: schema, more })
  }

  /** Whether a consumer of committed records has seen all rows of all tables. */
  async isComplete(): Promise<boolean> {
    for (const { rows } of this.connectors) {
      const { missing } = await seenBy(this.#bootstrapServers, rows.topic, rows.last)
      if (missing.length > 0) return false
    }
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker[Symbol.asyncDispose]()))
  }
}
