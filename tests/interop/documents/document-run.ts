import type { Kafka } from '@tributary/kafka'
import { type Database, eventually, type KafkaServer, kafkaClient, type Service, uniqueName } from '@tributary/testkit'
import type { PublishedDocument } from '../../documents/documents.ts'
import type { Side } from '../side.ts'
import { type ComparedTopics, compareTopics, type SideTopics } from './compare-topics.ts'
import { type DocumentHistory, documentHistory, SNAPSHOT_TEXT } from './document-history.ts'
import { deleteTopics, topicSettings, type WrittenTopic, writtenTopics } from './written-topics.ts'

/** One of the two systems, with brokers of its own: both write the same topics. */
export interface DocumentSide {
  readonly side: Side
  readonly service: Service
  readonly kafka: KafkaServer
}

export interface DocumentRunOptions {
  readonly document: PublishedDocument
  /** The configuration for each side. */
  readonly configs: Readonly<Record<Side, Readonly<Record<string, string>>>>
  /** A captured table; null: the filters match none. */
  readonly table: string | null
  readonly database: Database
  readonly sides: readonly DocumentSide[]
}

export type DocumentOutcome =
  | { readonly tag: 'refused'; readonly side: Side; readonly text: string }
  | ({ readonly tag: 'ran'; readonly states: readonly string[] } & ComparedTopics)

const TIMEOUT = { timeoutMs: 120_000, everyMs: 700 }

/** Runs a document on both sides over the same changes of the same server, and compares all topics. */
export async function runDocument(options: DocumentRunOptions): Promise<DocumentOutcome> {
  const { document, table, database } = options
  const history = documentHistory(document, table)
  const session = await database.connect('root', { multipleStatements: false })
  const execute = async (statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await session.query(sql)
  }
  try {
    await emptyServer(database)
    await execute(["SET time_zone = '+00:00'", ...history.before])
    await using connectors = new Connectors(options)
    for (const connector of connectors.all) {
      const text = await connector.register()
      if (text !== null) return { tag: 'refused', side: connector.side, text }
    }
    await Promise.all(connectors.all.map((connector) => connector.hasSnapshot(table === null ? 0 : history.tables)))
    await execute(history.after)
    return await finish(options, history, { connectors, execute })
  } finally {
    session.destroy()
  }
}

interface Running {
  readonly connectors: Connectors
  readonly execute: (statements: readonly string[]) => Promise<void>
}

async function finish(
  { configs, table }: DocumentRunOptions,
  history: DocumentHistory,
  { connectors, execute }: Running,
): Promise<DocumentOutcome> {
  const marker = uniqueName('last')
  await execute([history.last(marker)])
  await Promise.all(
    connectors.all.map((each) => (table === null ? each.hasRecorded('ADD late') : each.hasWritten(marker))),
  )
  const states = await Promise.all(connectors.all.map((connector) => connector.state()))
  const [theirs, ours] = await connectors.equalTopics()
  if (theirs === undefined || ours === undefined) throw new Error('a side is missing')
  return {
    tag: 'ran',
    states,
    ...compareTopics({ theirs, ours, history: connectors.historyTopic, config: configs.connect }),
  }
}

/** Removes the databases and the binlogs of earlier documents. */
async function emptyServer(database: Database): Promise<void> {
  const rows = await database.query('SHOW DATABASES')
  for (const name of rows.flatMap((row) => Object.values(row).map(String))) {
    if (!/^(mysql|sys|information_schema|performance_schema)$/.test(name))
      await database.query(`DROP DATABASE \`${name}\``)
  }
  await database.query(database.flavor === 'mariadb' ? 'RESET MASTER' : 'RESET BINARY LOGS AND GTIDS')
}

/** The connector of a document on each side. Disposal removes them with their topics. */
class Connectors implements AsyncDisposable {
  readonly all: readonly DocumentConnector[]
  readonly historyTopic: string

  constructor({ document, configs, sides }: DocumentRunOptions) {
    const name = uniqueName(`document${document.id}`)
    this.all = sides.map((side) => new DocumentConnector(side, name, configs[side.side]))
    this.historyTopic = configs.connect['schema.history.internal.kafka.topic'] ?? ''
    for (const each of this.all) each.historyTopic = this.historyTopic
  }

  /** The topics of both. What follows the last change, such as the end of its transaction, takes another moment. */
  async equalTopics(): Promise<readonly SideTopics[]> {
    const read = (): Promise<readonly ReadonlyMap<string, WrittenTopic>[]> =>
      Promise.all(this.all.map((connector) => connector.topics()))
    // Tributary writes fewer statements, and heartbeats are as many as the time allows.
    const counts = (topics: ReadonlyMap<string, WrittenTopic>): string =>
      [...topics]
        .map(([topic, { records }]) => {
          const rows = records.filter(({ value }) => value?.includes('"databaseName"') !== true)
          return topic.includes('heartbeat') ? topic : `${topic} ${rows.length}`
        })
        .join()
    const areEqual = async (): Promise<boolean> => new Set((await read()).map(counts)).size === 1
    try {
      await eventually('both have written as much', areEqual, { timeoutMs: 15_000, everyMs: 500 })
    } catch {
      // The comparison reports what differs.
    }
    return Promise.all(this.all.map((connector) => connector.whole()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((connector) => connector[Symbol.asyncDispose]()))
  }
}

class DocumentConnector implements AsyncDisposable {
  readonly side: Side
  historyTopic = ''
  readonly #service: Service
  readonly #kafka: Promise<Kafka>
  readonly #name: string
  readonly #config: Readonly<Record<string, string>>
  #isRegistered = false

  constructor({ side, service, kafka }: DocumentSide, name: string, config: Readonly<Record<string, string>>) {
    this.side = side
    this.#service = service
    this.#kafka = kafkaClient(kafka.bootstrapServers)
    this.#name = name
    this.#config = config
  }

  /** Returns the error if the document is refused. */
  async register(): Promise<string | null> {
    const config = { ...this.#config, name: this.#name }
    const { status, text } = await this.#service.rest('POST', '/connectors', { name: this.#name, config })
    this.#isRegistered = status === 201
    return this.#isRegistered ? null : text
  }

  /** Waits until a snapshot has fixed its position and has read as many tables: later changes are streamed. */
  hasSnapshot(tables: number): Promise<unknown> {
    const count = /^(schema_only|no_data)$/i.test(this.#config['snapshot.mode'] ?? '') ? 0 : tables
    return this.#waitFor('has finished its snapshot', async () => {
      const topics = await this.topics()
      const records = [...topics.values()].flatMap((topic) => topic.records)
      const isStored = (topics.get(this.historyTopic)?.records.length ?? 0) > 0
      return isStored && records.filter(({ value }) => value?.includes(SNAPSHOT_TEXT)).length >= count
    })
  }

  /** Waits until the schema history has a statement. */
  hasRecorded(text: string): Promise<unknown> {
    return this.#waitFor('has recorded the last statement', async () => {
      const { records = [] } = (await this.topics()).get(this.historyTopic) ?? {}
      return records.some(({ value }) => value?.includes(text))
    })
  }

  hasWritten(marker: string): Promise<unknown> {
    return this.#waitFor('has written the last change', async () => {
      const topics = [...(await this.topics())].filter(([topic]) => topic !== this.historyTopic)
      return topics.some(([, { records }]) => records.some(({ value }) => value?.includes(marker)))
    })
  }

  #waitFor(fact: string, isSo: () => Promise<boolean>): Promise<unknown> {
    return eventually(
      `${this.side} ${fact}`,
      async () => (await isSo()) || (await this.state()).startsWith('FAILED'),
      TIMEOUT,
    )
  }

  /** The state of the task; of a failed one with the last cause in its trace. */
  async state(): Promise<string> {
    const { state, trace } = await this.#service.taskState(this.#name)
    const cause = trace.split('\n').findLast((line) => line.startsWith('Caused by: ')) ?? trace.split('\n')[0]
    return state === 'FAILED' ? `FAILED ${cause}` : state
  }

  async whole(): Promise<SideTopics> {
    const topics = await this.topics()
    return { topics, settings: await topicSettings(await this.#kafka, topics.keys()) }
  }

  /** Without the topic of signals: brokers create it when Debezium subscribes to it, which may be later. */
  async topics(): Promise<ReadonlyMap<string, WrittenTopic>> {
    const { 'topic.prefix': prefix, 'signal.kafka.topic': signals = `${prefix}-signal` } = this.#config
    return writtenTopics(await this.#kafka, (topic) => topic === signals || this.#isInternal(topic))
  }

  #isInternal(topic: string): boolean {
    return topic.startsWith(`${this.#service.name}_`) || /^__(consumer_offsets|transaction_state|share)/.test(topic)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isRegistered) {
      await this.#service.rest('DELETE', `/connectors/${this.#name}`)
      const path = `/connectors/${this.#name}/status`
      await eventually(
        `${this.#name} is gone`,
        async () => (await this.#service.rest('GET', path)).status === 404,
        TIMEOUT,
      )
    }
    const topics = await writtenTopics(await this.#kafka, (topic) => this.#isInternal(topic))
    await deleteTopics(await this.#kafka, topics.keys())
  }
}
