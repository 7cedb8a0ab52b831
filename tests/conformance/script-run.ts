import { Readable } from 'node:stream'
import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { connectorConfig, type Database, eventually, type Service, uniqueName } from '@tributary/testkit'
import type { GoldenScript, ScriptStep } from './golden-script.ts'
import { type Recording, recordingOf } from './recording.ts'
import { type SelectedTables, selectTables } from './select-check.ts'

type Connection = Awaited<ReturnType<Database['connect']>>

export interface ScriptRunOptions {
  readonly script: GoldenScript
  /** The variants to run at once, each in a connector of its own; the empty name is the script without a variant. */
  readonly variants: readonly string[]
  readonly database: Database
  readonly service: Service
  readonly kafka: Kafka
  readonly bootstrapServers: readonly string[]
  /** Whether a statement is skipped. */
  readonly skipsStatement: (sql: string) => boolean
  /** Properties that are removed from those of the script. */
  readonly unset: readonly string[]
  /** Whether the run selects the rows of the script's tables at its end. */
  readonly selectsRows: boolean
  /** Properties in addition to those of the script and its variants. */
  readonly more?: Readonly<Record<string, string>>
  /** Converts the records of a connector before they are read as JSON; default: unchanged. */
  readonly decode?: (records: readonly LogRecord[]) => Promise<readonly LogRecord[]>
  /**
   * Number of records with a value per topic of a variant at the end. If set, the run waits for it instead of a marker,
   * so that the stored offset is after the last change of the script.
   */
  readonly endCounts?: (variant: string) => ReadonlyMap<string, number>
  /** Whether the last record of a variant is of a row. Default: yes. */
  readonly endsInRow?: (variant: string) => boolean
}

export interface ScriptResult {
  /** The recording of each connector, by variant. */
  readonly recordings: ReadonlyMap<string, Recording>
  /** The rows of the script's tables at its end; empty unless requested. */
  readonly selected: SelectedTables
}

/** Runs a script with Tributary connectors. */
export async function runScript(options: ScriptRunOptions): Promise<ScriptResult> {
  await using run = new ScriptRun(options)
  return await run.execute()
}

/**
 * The run waits for facts: after the steps of a phase it writes a row of a table that all connectors capture; its record
 * arrives after all earlier records of the connector. A connector that does not stream has stored the offset of
 * a finished snapshot. The run stops connectors gracefully, which waits for acknowledgements: afterwards the topics are
 * complete.
 */
class ScriptRun implements AsyncDisposable {
  readonly #options: ScriptRunOptions
  readonly #connectors: readonly WatchedConnector[]
  /** The database with the table whose rows mark points of the stream. */
  readonly #marker = uniqueName('zz')
  #markers = 0
  #session = 'main'
  #allowsErrors = false
  readonly #sessions = new Map<string, Connection>()

  constructor(options: ScriptRunOptions) {
    this.#options = options
    this.#connectors = options.variants.map(
      (variant) =>
        new WatchedConnector(
          options,
          { ...options.script.config, ...options.script.variants[variant], ...options.more },
          this.#marker,
        ),
    )
  }

  async execute(): Promise<ScriptResult> {
    const { script, variants } = this.#options
    await this.#dropDatabases()
    for (const step of script.steps) await this.#step(step)
    await this.#reachEnd()
    const selectedFrom = this.#options.selectsRows ? script.databases : []
    const selected = await selectTables(await this.#sessionNamed('(marker)'), selectedFrom)
    const recordings = new Map<string, Recording>()
    for (const [i, connector] of this.#connectors.entries()) {
      const { state, trace } = await connector.state()
      if (connector.isRegistered) await connector.stop()
      const name = state === 'RUNNING' ? state : `${state} ${trace}`
      const { prefix } = connector
      const written = await connector.records()
      const records = (await this.#options.decode?.(written)) ?? written
      const variant = variants[i] ?? ''
      const offset = await connector.storedOffset(this.#options.endsInRow?.(variant) ?? true)
      recordings.set(variant, recordingOf({ prefix, state: name, records, offset }))
    }
    return { recordings, selected }
  }

  async #step(step: ScriptStep): Promise<void> {
    switch (step.tag) {
      case 'sql':
        for (const statement of step.statements) await this.#run(statement)
        return
      case 'session':
        this.#session = step.name
        return
      case 'allowErrors':
        this.#allowsErrors = true
        return
      case 'stream':
      case 'start':
        await Promise.all(this.#connectors.map((connector) => connector.start()))
        await this.#catchUp()
        return
      case 'wait':
        // Only of importance where a signal asks for something that takes a while.
        if (this.#options.script.config['signal.data.collection'] !== undefined) await this.#untilSnapshotsEnd()
        return
      case 'stop':
        await this.#catchUp()
        await Promise.all(this.#connectors.map((connector) => connector.stop()))
    }
  }

  async #run(sql: string): Promise<void> {
    if (this.#options.skipsStatement(sql)) return
    const session = await this.#sessionNamed(this.#session)
    try {
      await session.query({ sql, infileStreamFactory })
    } catch (error) {
      if (!this.#allowsErrors) throw new Error(`the statement ${sql.slice(0, 200)} failed`, { cause: error })
    }
  }

  async #sessionNamed(name: string): Promise<Connection> {
    let session = this.#sessions.get(name)
    if (session === undefined) {
      const { database } = this.#options
      session = await database.connect('root', { multipleStatements: false })
      this.#sessions.set(name, session)
      const collation = database.flavor === 'mariadb' ? 'utf8mb4_general_ci' : 'utf8mb4_0900_ai_ci'
      await session.query(`SET NAMES utf8mb4 COLLATE ${collation}`)
      await session.query("SET time_zone = '+00:00'")
    }
    return session
  }

  /** Waits until every connector has written the changes so far, or has failed. */
  async #catchUp(): Promise<void> {
    const table = `${this.#marker}.m`
    const session = await this.#sessionNamed('(marker)')
    if (this.#markers === 0) {
      await session.query(`CREATE DATABASE ${this.#marker}`)
      await session.query(`CREATE TABLE ${table} (id INT PRIMARY KEY, is_updated INT NOT NULL DEFAULT 0)`)
    }
    this.#markers += 1
    await session.query(`INSERT INTO ${table} (id) VALUES (${this.#markers})`)
    if (this.#connectors.some(({ skipsInserts }) => skipsInserts)) {
      await session.query(`UPDATE ${table} SET is_updated = 1 WHERE id = ${this.#markers}`)
    }
    await Promise.all(this.#connectors.map((connector) => connector.reached(this.#markers)))
  }

  /** Waits until the snapshots that signals have asked for so far are complete. */
  async #untilSnapshotsEnd(): Promise<void> {
    await this.#catchUp()
    const { service } = this.#options
    const areComplete = (prefix: string): boolean => {
      const lines = service.log.split('\n').filter((line) => line.includes(prefix))
      const count = (what: RegExp): number => lines.filter((line) => what.test(line)).length
      return (
        count(/was requested by the signal/) === count(/(incremental snapshot|blocking snapshot of .*) is complete/)
      )
    }
    await eventually(
      'the snapshots that signals have asked for are complete',
      () => Promise.resolve(this.#connectors.every(({ prefix }) => areComplete(prefix))),
      { timeoutMs: CATCH_UP_TIMEOUT_MS },
    )
  }

  async #reachEnd(): Promise<void> {
    const { endCounts, variants } = this.#options
    if (endCounts === undefined) return this.#catchUp()
    const waits = this.#connectors.map((connector, i) => connector.wrote(endCounts(variants[i] ?? '')))
    await Promise.all(waits)
  }

  async #dropDatabases(): Promise<void> {
    const session = await this.#sessionNamed('(marker)')
    for (const database of this.#options.script.databases)
      await session.query(`DROP DATABASE IF EXISTS \`${database}\``)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connector of this.#connectors) await connector[Symbol.asyncDispose]()
    for (const [name, session] of this.#sessions) {
      // An open transaction would block dropping the databases.
      if (name === '(marker)') continue
      session.destroy()
    }
    await this.#dropDatabases()
    const session = await this.#sessionNamed('(marker)')
    // Connectors of later scripts may capture all databases of the server.
    await session.query(`DROP DATABASE IF EXISTS ${this.#marker}`)
    session.destroy()
  }
}

/** `LOAD DATA LOCAL INFILE 'inline:text'` loads the text. */
function infileStreamFactory(path: string): Readable {
  return Readable.from([Buffer.from(path.replace(/^inline:/, ''))])
}

/** Limit for a connector to reach a point of the stream on a loaded machine. */
const CATCH_UP_TIMEOUT_MS = 120_000

class WatchedConnector implements AsyncDisposable {
  readonly prefix: string = uniqueName('pfx')
  /** The start of its topic names: the prefix and an optional addition of the script. */
  readonly #topicPrefix: string
  readonly #options: ScriptRunOptions
  readonly #config: Readonly<Record<string, string>>
  readonly #history: WatchedTopic
  readonly #markers: WatchedTopic
  isRegistered = false

  constructor(options: ScriptRunOptions, scriptProperties: Readonly<Record<string, string>>, marker: string) {
    const { database, bootstrapServers, kafka, unset } = options
    const properties = withPrefix(scriptProperties, this.prefix)
    const { 'topic.prefix': topicPrefix = this.prefix, 'topic.delimiter': delimiter = '.' } = properties
    this.#options = options
    this.#topicPrefix = topicPrefix
    this.#history = new WatchedTopic(kafka, `${this.prefix}-history`)
    this.#markers = new WatchedTopic(kafka, [topicPrefix, marker, 'm'].join(delimiter))
    const all = {
      ...connectorConfig({ database, bootstrapServers, prefix: this.prefix, includes: '' }),
      'database.include.list': undefined,
      'schema.history.internal.kafka.topic': this.#history.name,
      'poll.interval.ms': '50',
      ...properties,
      ...addTo(properties, 'database.include.list', marker),
      ...addTo(properties, 'table.include.list', `${marker}.m`),
    }
    this.#config = Object.fromEntries(
      Object.entries(all).filter(([name, value]) => value !== undefined && !unset.includes(name)),
    ) as Record<string, string>
  }

  /** Whether the connector sends no records for inserted rows. */
  get skipsInserts(): boolean {
    return /\bc\b/.test(this.#config['skipped.operations'] ?? '')
  }

  async start(): Promise<void> {
    await this.#options.service.register(this.prefix, this.#config)
    this.isRegistered = true
    // A snapshot that has stored the structure has fixed its position: later changes are streamed.
    await this.#waitFor('the structure is stored', async () => (await this.#history.count()) > 0)
  }

  /** Stops the connector; its offset remains. */
  async stop(): Promise<void> {
    const { service } = this.#options
    await service.rest('DELETE', `/connectors/${this.prefix}`)
    await eventually(
      `${this.prefix} is gone`,
      async () => (await service.rest('GET', `/connectors/${this.prefix}/status`)).status === 404,
      { timeoutMs: CATCH_UP_TIMEOUT_MS },
    )
    this.isRegistered = false
  }

  state(): Promise<{ readonly state: string; readonly trace: string }> {
    return this.#options.service.taskState(this.prefix)
  }

  /**
   * Waits until that many markers have arrived, or the task has failed. A repeated snapshot sends earlier markers
   * again.
   */
  async reached(markers: number): Promise<void> {
    if (this.#config['snapshot.mode'] === 'initial_only')
      await this.#waitFor('its snapshot is over', () => this.#isIdle())
    else await this.#waitFor(`marker ${markers} has arrived`, async () => (await this.#markers.countKeys()) >= markers)
  }

  /** Whether the task runs with the offset of a finished snapshot. */
  async #isIdle(): Promise<boolean> {
    if ((await this.state()).state !== 'RUNNING') return false
    const { json } = await this.#options.service.rest('GET', `/connectors/${this.prefix}/offsets`)
    // The document of Kafka Connect's interface.
    const { offsets } = json as { readonly offsets?: readonly { readonly offset: object | null }[] }
    const offset = offsets?.[0]?.offset ?? null
    return offset !== null && !('snapshot' in offset)
  }

  /**
   * Waits until each topic has its count of records with a value, or the task has failed. The names have the prefix
   * `PFX`.
   */
  async wrote(counts: ReadonlyMap<string, number>): Promise<void> {
    for (const [name, count] of counts) {
      await using topic = new WatchedTopic(this.#options.kafka, name.replace(/^PFX/, this.prefix))
      await this.#waitFor(`${topic.name} has ${count} changes`, async () => (await topic.count()) >= count)
    }
  }

  async #waitFor(fact: string, isSo: () => Promise<boolean>): Promise<void> {
    const look = async (): Promise<boolean> => (await isSo()) || (await this.state()).state === 'FAILED'
    await eventually(`${this.prefix}: ${fact}`, look, { timeoutMs: CATCH_UP_TIMEOUT_MS, everyMs: 100 })
  }

  /** All its records except the markers. */
  async records(): Promise<readonly LogRecord[]> {
    const { kafka } = this.#options
    await using admin = kafka.admin()
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(this.prefix))
    const records: LogRecord[] = []
    for (const topic of topics) {
      // The checkpoint of the schema history is Tributary's own, and written only when there is time.
      if (topic === this.#markers.name || topic.endsWith('-checkpoint')) continue
      await using reader = await kafka.reader({ topic })
      await reader.readToEnd((record) => records.push(record))
    }
    return records
  }

  /**
   * The last offset stored; null when there is none. A connector that is idle for five seconds stores the position after
   * the transaction, which has no `event`: `ofRow` is for the last one before it, of a row.
   */
  async storedOffset(ofRow: boolean): Promise<Buffer | null> {
    const { kafka, service } = this.#options
    const key = JSON.stringify([this.prefix, { server: this.#topicPrefix }])
    await using reader = await kafka.reader({ topic: service.offsetTopic })
    let offset: Buffer | null = null
    await reader.readToEnd((record) => {
      const { value } = record
      if (record.key?.toString() !== key || value === null) return
      if (offset === null || !ofRow || value.includes('"event"')) offset = value
    })
    return offset
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRegistered) await this.stop()
    await this.#history[Symbol.asyncDispose]()
    await this.#markers[Symbol.asyncDispose]()
  }
}

/** Replaces `${P}`, the placeholder for the prefix in scripts. */
function withPrefix(properties: Readonly<Record<string, string>>, prefix: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, value.replaceAll('${P}', prefix)]))
}

function addTo(properties: Readonly<Record<string, string>>, name: string, item: string): Record<string, string> {
  const list = properties[name]
  return list === undefined ? {} : { [name]: `${list},${item}` }
}

/** Counts the records of a topic except tombstones, and their distinct keys. The topic may not exist yet. */
class WatchedTopic implements AsyncDisposable {
  readonly name: string
  readonly #kafka: Kafka
  #reader: TopicReader | null = null
  #count = 0
  readonly #keys = new Set<string>()

  constructor(kafka: Kafka, name: string) {
    this.#kafka = kafka
    this.name = name
  }

  async count(): Promise<number> {
    this.#reader ??= await this.#open()
    await this.#reader?.readToEnd(({ key, value }) => {
      if (value === null) return
      this.#count += 1
      if (key !== null) this.#keys.add(key.toString('latin1'))
    })
    return this.#count
  }

  async countKeys(): Promise<number> {
    await this.count()
    return this.#keys.size
  }

  async #open(): Promise<TopicReader | null> {
    await using admin = this.#kafka.admin()
    return (await admin.describeTopic(this.name)) === null ? null : await this.#kafka.reader({ topic: this.name })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.close()
  }
}
