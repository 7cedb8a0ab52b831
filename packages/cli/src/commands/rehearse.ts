import type { Kafka } from '@tributary/kafka'
import {
  checkConverters,
  type ComparedRehearsal,
  isOfSnapshot,
  isServerIdOf,
  type MoveOptions,
  moveSteps,
  type PlannedMove,
  type PlannedRehearsal,
  randomServerId,
  rehearseConnector,
  rehearseErrors,
  SERVER_ID_MAX,
  sessionStatements,
  StoredState,
} from '@tributary/rehearse'
import {
  ConfigProviders,
  parseProperties,
  Plugins,
  propertiesOfEnvironment,
  recordsCluster,
  runtimeErrors,
} from '@tributary/runtime'
import {
  type Clock,
  CodedError,
  createLogger,
  describeError,
  silentLogger,
  StoppedError,
  systemClock,
  visibleJson,
  visibleText,
  withTimeout,
} from '@tributary/support'
import type { OffsetDocument } from '@tributary/connect-api'
import { readFile } from 'node:fs/promises'
import { plugins } from '../assembly/plugins.ts'
import { renderReport } from '../check/render-report.ts'
import { RestClient } from '../connectors/rest-client.ts'
import { RefusedError } from '../connectors/rest-client.ts'
import { cliErrors } from '../errors.ts'
import { formatLogLine } from '../logging/log-format.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { type ConnectView, RestView, TopicView } from '../rehearsal/connect-view.ts'
import { addedProperties } from '../rehearsal/added-properties.ts'
import { renderMove, renderRehearsal } from '../rehearsal/render-rehearsal.ts'
import { paletteOf } from '../terminal/palette.ts'
import { checkDocument, type CheckedDocument } from './check-document.ts'

type Environment = Readonly<Record<string, string | undefined>>
type Config = Readonly<Record<string, string>>

/** The options of the command line. */
export interface RehearseCommandOptions {
  readonly connector: string
  readonly from?: string
  readonly to?: string
  readonly configTopic?: string
  readonly offsetTopic?: string
  readonly bootstrapServers?: string
  readonly workerConfig?: string
  readonly set?: readonly string[]
  readonly minutes?: number
  readonly serverId?: number
  readonly json?: boolean
  readonly verbose?: boolean
}

/**
 * `tributary rehearse`: what the move of a connector from a running Kafka Connect would change. Returns the exit code.
 */
export async function rehearse(options: RehearseCommandOptions, environment: Environment): Promise<ExitCode> {
  const command = new RehearseCommand(options, environment)
  try {
    return await command.run(endingSignal())
  } catch (error) {
    return command.report(error)
  }
}

class RehearseCommand {
  readonly #options: RehearseCommandOptions
  readonly #environment: Environment
  readonly #clock: Clock = systemClock
  /** Hides secrets, as soon as the configuration is known. */
  #mask: (text: string) => string = (text) => text

  constructor(options: RehearseCommandOptions, environment: Environment) {
    this.#options = options
    this.#environment = environment
  }

  async run(signal: AbortSignal): Promise<ExitCode> {
    const { connector, minutes = MINUTES } = this.#options
    // Check the address before any request: an invalid one is an error of the command line.
    const to = this.#client(this.#options.to ?? DEFAULT_TO, signal)
    const { worker, view, client, version } = await this.#connect(signal)
    const original = await view.config(connector, signal)
    await view.checkRunning(connector)
    const { name: _, ...given } = { ...original, ...this.#given }
    const resolved = ConfigProviders.of(worker, this.#environment)
    const checked = await this.#check(this.#harmless(given, resolved), worker, signal)
    if (checked.report.findings.some(({ severity }) => severity === 'error')) return this.#refused(checked)
    const { config, mask } = resolved.resolve(given)
    this.#mask = (text) => mask.text(text)
    const properties = resolved.resolve(worker).config
    checkConverters(properties, config)
    const serverId = await this.#serverId([resolved.resolve(original).config, config], given, {
      worker,
      resolved,
      signal,
    })
    const partition = { server: config['topic.prefix'] ?? '' }
    const offset = await this.#storedOffset(view, partition, signal)
    const storedAtMs = this.#clock.now()
    this.#note(`${connector} is at ${shownOffset(offset)}; reading from there for ${minutes} minutes`)
    const logger = this.#logger
    const kafka = recordsCluster({
      connectorName: connector,
      workerProperties: properties,
      taskConfig: config,
      logger,
      clock: this.#clock,
    })
    const compared = await rehearseConnector(
      {
        connector,
        config,
        workerProperties: properties,
        plugins: new Plugins(plugins),
        kafka,
        stored: { partition, offset },
        storedAtMs,
        currentOffset: (limit) => view.offset(connector, partition, limit),
        topics: (limit) => this.#topics(view, kafka, config, limit),
        serverId,
        durationMs: minutes * 60_000,
        onProgress: (line) => this.#note(line),
        clock: this.#clock,
        logger: mask.logger(logger),
      },
      signal,
    )
    const result = await this.#stillRunning(compared, view)
    const plan = planned(result, {
      connector,
      from: client,
      to,
      version,
      ...addedProperties(original, this.#given, worker),
    })
    const changed = [...result.changed, ...Object.keys(this.#given).map((property) => ({ property, reason: SET }))]
    return this.#show({ ...result, changed, ...plan }, checked)
  }

  #client(url: string, signal: AbortSignal): RestClient {
    const onNote = (text: string): void => this.#note(text)
    return new RestClient({ url, clock: this.#clock, onNote, signal, answerBytesMax: ANSWER_BYTES_MAX })
  }

  /** Removes statements that may change data or the server: neither the rehearsal nor its checks may run them. */
  #harmless(given: Config, resolved: ConfigProviders): Config {
    const statements = resolved.resolve(given).config[STATEMENTS]
    if (statements === undefined) return given
    const { kept, left } = sessionStatements(statements)
    if (left.length === 0) return given
    const { [STATEMENTS]: _, ...others } = given
    return kept === '' ? others : { ...others, [STATEMENTS]: kept }
  }

  /**
   * Chooses the server id of the rehearsal, which is a replica. A server ends the connection of an earlier replica with
   * the same id, such as the connector in Kafka Connect.
   *
   * @throws REHEARSE_SERVER_ID
   */
  async #serverId(configs: readonly Config[], given: Config, context: IdContext): Promise<number> {
    const { serverId: chosen } = this.#options
    const { worker, resolved, signal } = context
    const isOwn = (id: number): boolean => configs.some((config) => isServerIdOf(config, id))
    if (chosen !== undefined && (!Number.isInteger(chosen) || chosen < 1 || chosen > SERVER_ID_MAX)) {
      throw rehearseErrors.REHEARSE_SERVER_ID({ serverId: chosen, reason: `ids are from 1 to ${SERVER_ID_MAX}` })
    }
    if (chosen !== undefined && isOwn(chosen)) {
      const reason =
        'the connector in Kafka Connect has that database.server.id, and the server would end its connection'
      throw rehearseErrors.REHEARSE_SERVER_ID({ serverId: chosen, reason })
    }
    for (let draws = 0; ; draws++) {
      const id = chosen ?? randomServerId(configs[0] ?? {})
      if (isOwn(id)) continue
      const asReplica = { ...this.#harmless(given, resolved), 'database.server.id': String(id) }
      const { report, mask } = await this.#check(asReplica, worker, signal)
      const taken = report.findings.find(({ code }) => code === 'SERVER_ID_TAKEN')
      if (taken === undefined) return id
      if (chosen !== undefined || draws >= DRAWS_MAX) {
        const reason = mask.text(taken.message).split('. ', 1)[0] ?? ''
        throw rehearseErrors.REHEARSE_SERVER_ID({ serverId: id, reason })
      }
    }
  }

  /** Checks that the connector still runs. One that was paused or has failed wrote nothing, which proves nothing. */
  async #stillRunning(result: ComparedRehearsal, view: ConnectView): Promise<ComparedRehearsal> {
    if (result.state === 'CANCELLED') return result
    try {
      await view.checkRunning(this.#options.connector)
      return result
    } catch (error) {
      if (error instanceof StoppedError) return { ...result, state: 'CANCELLED' }
      const warnings = [...result.warnings, `At the end of the rehearsal: ${describeError(error)}`]
      return { ...result, warnings, state: result.state === 'AS_BEFORE' ? 'UNPROVEN' : result.state }
    }
  }

  /** The worker's settings, and where Kafka Connect keeps what is needed. */
  async #connect(signal: AbortSignal): Promise<Connected> {
    const { from, configTopic, offsetTopic, connector } = this.#options
    const worker = await this.#workerProperties()
    if (from === undefined && (configTopic === undefined || offsetTopic === undefined)) {
      throw cliErrors.REHEARSE_SOURCE({})
    }
    const client = from === undefined ? null : this.#client(from, signal)
    const rest = client === null ? null : new RestView(client, null)
    const servers = await this.#servers(worker, rest, signal)
    const withServers = { ...worker, 'bootstrap.servers': servers }
    const workerProperties = ConfigProviders.of(withServers, this.#environment).resolve(withServers).config
    const common = { connectorName: connector, logger: silentLogger, clock: this.#clock }
    const kafka = recordsCluster({ ...common, workerProperties, taskConfig: {} })
    await this.#checkBrokers(kafka, servers, signal)
    if (client !== null) {
      const stored = offsetTopic === undefined ? null : { state: new StoredState(kafka, servers), topic: offsetTopic }
      const view = new RestView(client, stored)
      return { worker: withServers, view, client, version: await view.version() }
    }
    const topics = { config: configTopic ?? '', offset: offsetTopic ?? '' }
    return { worker: withServers, view: new TopicView(kafka, servers, topics), client: null, version: null }
  }

  /** A worker that is never started needs no internal topics; their names have to be there. */
  async #workerProperties(): Promise<Record<string, string>> {
    const { workerConfig: path } = this.#options
    const placeholders = {
      'config.storage.topic': 'rehearsal',
      'offset.storage.topic': 'rehearsal',
      'status.storage.topic': 'rehearsal',
    }
    const fromEnvironment = propertiesOfEnvironment(this.#environment)
    if (path === undefined) return { ...placeholders, ...fromEnvironment }
    try {
      return { ...placeholders, ...parseProperties(await readFile(path, 'utf8')), ...fromEnvironment }
    } catch (error) {
      throw runtimeErrors.WORKER_FILE_UNREADABLE({ path, reason: describeError(error) }, error)
    }
  }

  /** Where nothing names them, those of the schema history: usually they are the same. */
  async #servers(worker: Config, rest: RestView | null, signal: AbortSignal): Promise<string> {
    const named = this.#options.bootstrapServers ?? worker['bootstrap.servers']
    if (named !== undefined && named !== '') return named
    const { connector } = this.#options
    const config = rest === null ? {} : await rest.config(connector)
    signal.throwIfAborted()
    const ofHistory = config['schema.history.internal.kafka.bootstrap.servers'] ?? ''
    if (ofHistory === '') throw cliErrors.REHEARSE_NO_BROKER({})
    this.#note(`no brokers are named: using those of the schema history, ${ofHistory}`)
    return ofHistory
  }

  async #checkBrokers(kafka: Kafka, servers: string, signal: AbortSignal): Promise<void> {
    await using admin = kafka.admin()
    try {
      await withTimeout(this.#clock, BROKER_MS_MAX, (limit) => admin.cluster(limit), signal)
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      throw rehearseErrors.REHEARSE_UNREACHABLE({ servers, seconds: BROKER_MS_MAX / 1000 })
    }
  }

  /** Properties of the command line, such as a password that only Kafka Connect can resolve. */
  get #given(): Config {
    const entries = (this.#options.set ?? []).map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw cliErrors.REHEARSE_SET({ text: text.slice(0, Math.max(0, at)) })
      return [text.slice(0, at), text.slice(at + 1)] as const
    })
    return Object.fromEntries(entries)
  }

  #check(config: Config, worker: Config, signal: AbortSignal): Promise<CheckedDocument> {
    const { connector: name } = this.#options
    const document = { name, config, initialState: undefined, form: 'json' as const, isOnlyForNew: false, notes: [] }
    return checkDocument(document, { worker, environment: this.#environment, signal })
  }

  #refused({ report, mask }: CheckedDocument): ExitCode {
    const { connector } = this.#options
    if (this.#options.json === true) {
      this.#write(json({ connector, state: 'REFUSED', check: report }, (text) => mask.text(text)))
    } else {
      this.#write(mask.text(renderReport(report, paletteOf(process.stdout))))
      this.#write(`\nREFUSED ${visibleText(connector)}: the move would be refused, or would fail. See above.\n`)
    }
    return EXIT.failed
  }

  async #storedOffset(
    view: ConnectView,
    partition: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<OffsetDocument> {
    const { connector } = this.#options
    const offset = await view.offset(connector, partition, signal)
    if (offset === null) {
      const shown = JSON.stringify(partition)
      throw rehearseErrors.REHEARSE_NO_OFFSET({ connector, partition: shown, place: view.place, found: '' })
    }
    if (isOfSnapshot(offset)) throw rehearseErrors.REHEARSE_SNAPSHOT({ connector, offset: shownOffset(offset) })
    // JSON of the worker, flat by its form.
    return offset as OffsetDocument
  }

  /** Where the worker does not know them, those with the prefix. */
  async #topics(view: ConnectView, kafka: Kafka, config: Config, signal: AbortSignal): Promise<readonly string[]> {
    const beats = config['topic.heartbeat.prefix'] ?? '__debezium-heartbeat'
    const heartbeats = `${beats}${config['topic.delimiter'] ?? '.'}${config['topic.prefix'] ?? ''}`
    const isOther = (topic: string): boolean =>
      topic === heartbeats || topic === config['schema.history.internal.kafka.topic']
    const known = await view.topics(this.#options.connector)
    if (known !== null) return known.filter((topic) => !isOther(topic))
    await using admin = kafka.admin()
    const prefix = config['topic.prefix'] ?? ''
    const topics = await admin.listTopics(signal)
    return topics.filter((topic) => (topic === prefix || topic.startsWith(`${prefix}.`)) && !isOther(topic))
  }

  get #logger(): ReturnType<typeof createLogger> {
    if (this.#options.verbose !== true) return silentLogger
    return createLogger('info', (line) => process.stderr.write(formatLogLine(line)))
  }

  #show(result: PlannedRehearsal, { report }: CheckedDocument): ExitCode {
    const isJson = this.#options.json === true
    // The mask would break commands: a secret may be a part of a name.
    const { move, back, move_notes, ...others } = result
    const palette = paletteOf(process.stdout)
    const text = isJson
      ? json({ ...others, check: report }, this.#mask, { move, back, move_notes })
      : `${this.#mask(renderRehearsal(result, palette))}${renderMove(result, palette)}`
    this.#write(text)
    if (result.state === 'AS_BEFORE') return EXIT.ok
    return result.state === 'UNPROVEN' ? EXIT.unproven : EXIT.failed
  }

  report(error: unknown): ExitCode {
    if (error instanceof StoppedError || (error instanceof Error && error.name === 'AbortError')) return EXIT.failed
    if (error instanceof RefusedError) {
      this.#note(`${error.message} (${error.status})`)
      return EXIT.failed
    }
    if (!(error instanceof Error && 'code' in error) && !(error instanceof CodedError)) throw error
    this.#note(error.message)
    return exitCodeOf(error)
  }

  #note(text: string): void {
    process.stderr.write(`tributary rehearse: ${visibleText(this.#mask(text))}\n`)
  }

  #write(text: string): void {
    process.stdout.write(text)
  }
}

interface Connected {
  /** Of the worker, with references. */
  readonly worker: Config
  readonly view: ConnectView
  /** Null: Kafka Connect is known by its topics only. */
  readonly client: RestClient | null
  /** The version of Kafka Connect; null: unknown. */
  readonly version: string | null
}

interface IdContext {
  readonly worker: Config
  readonly resolved: ConfigProviders
  readonly signal: AbortSignal
}

/** A cancelled rehearsal prints no commands, since nobody should move the connector yet. */
function planned({ state }: ComparedRehearsal, options: Omit<MoveOptions, 'from' | 'to'> & Clients): PlannedMove {
  if (state === 'CANCELLED') {
    const note = 'There are no commands to move the connector, because the rehearsal was cancelled: rehearse again.'
    return { move: [], back: [], move_notes: [note] }
  }
  return moveSteps(options)
}

interface Clients {
  readonly from: RestClient | null
  readonly to: RestClient
}

function shownOffset({ file, pos, gtids }: Readonly<Record<string, unknown>>): string {
  return `${String(file)}:${String(pos)}${typeof gtids === 'string' ? `, GTIDs ${gtids.replaceAll('\n', '')}` : ''}`
}

/** The members of `plain` are not masked. */
function json(document: object, mask: (text: string) => string, plain: object = {}): string {
  const masked = (_: string, value: unknown): unknown => (typeof value === 'string' ? mask(value) : value)
  const safe = JSON.parse(JSON.stringify(document, masked)) as object
  return `${visibleJson(JSON.stringify({ ...safe, ...plain }))}\n`
}

const MINUTES = 5
const BROKER_MS_MAX = 30_000
const DEFAULT_TO = 'http://127.0.0.1:8083'
const STATEMENTS = 'database.initial.statements'
const SET = '--set of the command line'
const DRAWS_MAX = 5
const ANSWER_BYTES_MAX = 10 * 2 ** 20
