import type { Kafka } from '@tributary/kafka'
import {
  checkConverters,
  isOfSnapshot,
  moveSteps,
  type Rehearsal,
  rehearseConnector,
  rehearseErrors,
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
import { renderRehearsal } from '../rehearsal/render-rehearsal.ts'
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
    const { worker, view, cluster } = await this.#connect(signal)
    const original = await view.config(connector, signal)
    await view.checkRunning(connector)
    const { name: _, ...given } = { ...original, ...this.#given }
    const checked = await this.#check(given, worker, signal)
    if (checked.report.findings.some(({ severity }) => severity === 'error')) return this.#refused(checked)
    const resolved = ConfigProviders.of(worker, this.#environment)
    const { config, mask } = resolved.resolve(given)
    this.#mask = (text) => mask.text(text)
    const properties = resolved.resolve(worker).config
    checkConverters(properties, config)
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
        serverId: this.#options.serverId,
        durationMs: minutes * 60_000,
        onProgress: (line) => this.#note(line),
        clock: this.#clock,
        logger: mask.logger(logger),
      },
      signal,
    )
    const steps = moveSteps({ connector, from: cluster.url, to: this.#options.to ?? DEFAULT_TO })
    return this.#show({ ...compared, ...steps }, checked)
  }

  /** The worker's settings, and where Kafka Connect keeps what is needed. */
  async #connect(signal: AbortSignal): Promise<Connected> {
    const { from, configTopic, offsetTopic, connector } = this.#options
    const worker = await this.#workerProperties()
    if (from === undefined && (configTopic === undefined || offsetTopic === undefined)) {
      throw cliErrors.REHEARSE_SOURCE({})
    }
    const client =
      from === undefined ? null : new RestClient({ url: from, clock: this.#clock, onNote: (text) => this.#note(text) })
    const rest = client === null ? null : new RestView(client, null)
    const servers = await this.#servers(worker, rest, signal)
    const withServers = { ...worker, 'bootstrap.servers': servers }
    const workerProperties = ConfigProviders.of(withServers, this.#environment).resolve(withServers).config
    const common = { connectorName: connector, logger: silentLogger, clock: this.#clock }
    const kafka = recordsCluster({ ...common, workerProperties, taskConfig: {} })
    await this.#checkBrokers(kafka, servers, signal)
    const cluster = { url: client?.url ?? null }
    if (client !== null) {
      const stored = offsetTopic === undefined ? null : { state: new StoredState(kafka, servers), topic: offsetTopic }
      return { worker: withServers, view: new RestView(client, stored), cluster }
    }
    const topics = { config: configTopic ?? '', offset: offsetTopic ?? '' }
    return { worker: withServers, view: new TopicView(kafka, servers, topics), cluster }
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
    const heartbeats = config['topic.heartbeat.prefix'] ?? '__debezium-heartbeat'
    const isOther = (topic: string): boolean =>
      topic.startsWith(heartbeats) || topic === config['schema.history.internal.kafka.topic']
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

  #show(result: Rehearsal, { report }: CheckedDocument): ExitCode {
    const isJson = this.#options.json === true
    const text = isJson
      ? json({ ...result, check: report }, this.#mask)
      : this.#mask(renderRehearsal(result, paletteOf(process.stdout)))
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
  readonly cluster: { readonly url: string | null }
}

function shownOffset({ file, pos, gtids }: Readonly<Record<string, unknown>>): string {
  return `${String(file)}:${String(pos)}${typeof gtids === 'string' ? `, GTIDs ${gtids.replaceAll('\n', '')}` : ''}`
}

function json(document: object, mask: (text: string) => string): string {
  const masked = (_: string, value: unknown): unknown => (typeof value === 'string' ? mask(value) : value)
  return `${visibleJson(JSON.stringify(document, masked))}\n`
}

const MINUTES = 5
const BROKER_MS_MAX = 30_000
const DEFAULT_TO = 'http://127.0.0.1:8083'
