import { classOfServer, type CheckReport } from '@tributary/connector-mysql'
import { createKafka, type Kafka } from '@tributary/kafka'
import { randomServerId } from '@tributary/rehearse'
import { describeError, doneOr, StoppedError, systemClock, toError, visibleText } from '@tributary/support'
import { BROKER_THREAD, COMMAND } from '../assembly/build.ts'
import { RestClient } from '../connectors/rest-client.ts'
import { askAddress } from '../dev/ask-address.ts'
import { devConfig, type DevConfigOptions, type DevConnector, nameConnectors } from '../dev/dev-connector.ts'
import { DevFolder } from '../dev/dev-folder.ts'
import { EventPrinter } from '../dev/event-printer.ts'
import { connectorOf } from '../dev/merge-records.ts'
import { renderElsewhere } from '../dev/read-elsewhere.ts'
import { registerConnector, storedConfig } from '../dev/register.ts'
import { TopicFollower } from '../dev/topic-follower.ts'
import { DevBroker } from '../dev-broker/dev-broker.ts'
import { cliErrors } from '../errors.ts'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { checkSource } from '../source/check-source.ts'
import { parseDatabaseUrl } from '../source/database-url.ts'
import { noTableText } from '../source/no-table-text.ts'
import { hidePasswords, readPassword } from '../source/read-password.ts'
import { inUrlTerms } from '../source/url-terms.ts'
import { paletteOf } from '../terminal/palette.ts'
import { StdoutOutput } from '../watch/output.ts'
import { startDevWorker, stopDevWorker } from './dev-worker.ts'

/** The options of the command line. */
export interface DevOptions {
  readonly data?: string
  readonly snapshot: boolean
  readonly format?: 'pretty' | 'json'
  readonly set?: readonly string[]
  readonly passwordFile?: string
  readonly brokerPort?: number
  readonly restPort?: number
  readonly verbose?: boolean
}

/**
 * `tributary dev [URL…]`: a broker, a worker and a connector for each database in this process; prints the events until
 * SIGINT, SIGTERM or SIGHUP, or until its output is closed. Returns the exit code.
 *
 * @param environment also receives what the configurations of the connectors refer to
 */
export async function dev(
  urls: readonly string[],
  options: DevOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ExitCode> {
  const command = new DevCommand(options, environment)
  try {
    await command.run(urls, endingSignal(undefined, ['SIGINT', 'SIGTERM', 'SIGHUP']))
    return EXIT.ok
  } catch (error) {
    if (error instanceof StoppedError) return EXIT.ok
    command.note(describeError(error))
    return exitCodeOf(error)
  }
}

/** A connector of this run. */
interface Running {
  readonly connector: DevConnector
  readonly password: string
  /** Named on this command line: it is checked, and registered. */
  readonly isNamed: boolean
}

/** What the pre-flight found out. */
interface Checked {
  readonly className: string
  readonly report: CheckReport
}

interface Services {
  readonly broker: DevBroker
  readonly follower: TopicFollower
  readonly client: RestClient
}

interface StartContext {
  /** Fires at the end of the command, and when something has failed. */
  readonly signal: AbortSignal
  readonly fail: (error: unknown) => void
  readonly stack: AsyncDisposableStack
}

class DevCommand {
  readonly #options: DevOptions
  readonly #environment: NodeJS.ProcessEnv
  readonly #folder: DevFolder | null
  #hide: (text: string) => string = (text) => text

  constructor(options: DevOptions, environment: NodeJS.ProcessEnv) {
    this.#options = options
    this.#environment = environment
    this.#folder = options.data === undefined ? null : new DevFolder(options.data)
  }

  note(text: string): void {
    process.stderr.write(`tributary dev: ${visibleText(inUrlTerms(this.#hide(text)))}\n`)
  }

  async run(urls: readonly string[], ending: AbortSignal): Promise<void> {
    const running = await this.#connectors(urls)
    this.#hide = hidePasswords(running.map(({ password }) => password))
    this.#setEnvironment(running)
    // A mistake in --set is found before anything starts.
    for (const each of running) this.#configOf(each, NO_SERVER)
    await using stack = new AsyncDisposableStack()
    const failing = new AbortController()
    const signal = AbortSignal.any([ending, failing.signal])
    const checking = this.#checkAll(running, signal)
    const fail = (error: unknown): void => failing.abort(error)
    checking.catch(fail)
    try {
      const services = await this.#start(running, { signal, fail, stack })
      const checked = await checking
      await this.#register(running, checked, services)
      this.#showElsewhere(running, checked, services)
      await this.#print(services, signal)
    } catch (error) {
      // The first error is the cause of the others, which may be those of a stop.
      fail(error)
      await checking.catch(() => undefined)
      throw toError(failing.signal.reason)
    }
  }

  /** Those of the command line, and those that the folder has. */
  async #connectors(urls: readonly string[]): Promise<readonly Running[]> {
    const { passwordFile } = this.#options
    const known = this.#folder?.read() ?? []
    const addresses = urls.length === 0 && known.length === 0 ? [await askAddress()] : urls.map(parseDatabaseUrl)
    const named = nameConnectors(addresses, known)
    const given = new Map(named.map((connector, i) => [connector.name, { connector, address: addresses[i] }]))
    const running: Running[] = []
    // A server is asked for once, however many of its databases are named.
    const asked = new Map<string, string>()
    for (const { name, address } of [...named, ...known]) {
      if (running.some(({ connector }) => connector.name === name)) continue
      const full = given.get(name)?.address ?? address
      const login = `${full.user}@${full.host}:${full.port}`
      const password = full.password ?? asked.get(login) ?? (await readPassword(full, passwordFile, this.#environment))
      if (full.password === null) asked.set(login, password)
      running.push({ connector: { name, address }, password, isNamed: given.has(name) })
    }
    return running
  }

  /**
   * Passwords are references in configurations: they are neither stored nor shown. The log of the threads is for people,
   * and standard output has the events.
   */
  #setEnvironment(running: readonly Running[]): void {
    for (const { connector, password } of running) this.#environment[passwordVariable(connector)] = password
    this.#environment['LOG_FORMAT'] = 'note'
    this.#environment['LOG_LEVEL'] = this.#options.verbose === true ? 'info' : 'warn'
  }

  async #checkAll(running: readonly Running[], signal: AbortSignal): Promise<ReadonlyMap<string, Checked>> {
    const checked = new Map<string, Checked>()
    for (const each of running) {
      if (!each.isNamed) continue
      const { connector, password } = each
      const plain = this.#configOf(each, { ...NO_SERVER, password })
      const className = await classOfServer(plain, signal)
      const note = (text: string): void => this.note(text)
      const config = { ...plain, 'connector.class': className }
      const leftOut = this.#selectsTables() ? OF_OPERATION : OF_OPERATION_AND_NAMES
      const report = await checkSource(config, { leftOut, isNew: true, note, signal })
      checked.set(connector.name, { className, report })
    }
    return checked
  }

  #configOf({ connector }: Running, options: Omit<DevConfigOptions, 'snapshot' | 'set'>): Record<string, string> {
    const { snapshot, set = [] } = this.#options
    const config = devConfig(connector, { ...options, snapshot, set })
    return { ...config, 'database.server.id': config['database.server.id'] ?? String(randomServerId(config)) }
  }

  /** Whether --set selects tables; else the URLs do. */
  #selectsTables(): boolean {
    return (this.#options.set ?? []).some((text) => /^(table|database)\.(include|exclude)\.list=/.test(text))
  }

  async #start(running: readonly Running[], { signal, fail, stack }: StartContext): Promise<Services> {
    const { data = null, brokerPort, restPort } = this.#options
    const broker = await startBroker({ port: brokerPort ?? null, folder: data }, signal)
    stack.use(broker)
    onAbort(broker.failed, fail)
    this.#environment[BROKER_VARIABLE] = broker.bootstrapServers
    const kafka = this.#connect(broker)
    const names = new Set(running.map(({ connector }) => connector.name))
    const isFollowed = (topic: string): boolean => names.has(connectorOf(topic))
    const onTooMany = (topicsMax: number): void =>
      this.note(`there are more than ${topicsMax} topics: the events of ${topicsMax} of them are printed`)
    const follower = stack.use(await TopicFollower.open({ kafka, isFollowed, onTooMany, clock: systemClock, signal }))
    const worker = await startDevWorker({
      bootstrapServers: broker.bootstrapServers,
      restPort: restPort ?? null,
      environment: this.#environment,
      signal,
    })
    stack.defer(() => stopDevWorker(worker))
    onAbort(worker.failed, fail)
    const url = `http://127.0.0.1:${worker.rest.ports[0] ?? 0}`
    const client = new RestClient({ url, clock: systemClock, onNote: (text) => this.note(text), signal })
    return { broker, follower, client }
  }

  #connect({ bootstrapServers }: DevBroker): Kafka {
    const logger = createStdoutLogger(this.#environment, logLevelsOf(this.#environment))
    return createKafka({ bootstrapServers: [bootstrapServers], clientId: 'tributary-dev', logger, clock: systemClock })
  }

  async #register(
    running: readonly Running[],
    checked: ReadonlyMap<string, Checked>,
    { client }: Services,
  ): Promise<void> {
    // A connector of the worker is always in the file, also when this process is killed.
    this.#folder?.write(running.map(({ connector }) => connector))
    const remaining: DevConnector[] = []
    for (const each of running) {
      const { name } = each.connector
      const stored = await storedConfig(client, name)
      const className = checked.get(name)?.className
      if (className === undefined) {
        if (stored === null) this.note(`connector ${name} of an earlier start was deleted`)
        else remaining.push(each.connector)
        continue
      }
      const serverId = stored?.['database.server.id'] ?? null
      const references = { password: reference(passwordVariable(each.connector)), bootstrapServers: BROKER_REFERENCE }
      const config = this.#configOf(each, { className, serverId, ...references })
      await registerConnector(client, { name, config, stored })
      remaining.push(each.connector)
    }
    this.#folder?.write(remaining)
    if (remaining.length === 0) throw cliErrors.DEV_NOTHING_LEFT({ folder: this.#options.data ?? '' })
  }

  #showElsewhere(
    running: readonly Running[],
    checked: ReadonlyMap<string, Checked>,
    { broker, client }: Services,
  ): void {
    for (const { connector } of running) {
      const report = checked.get(connector.name)?.report
      if (report === undefined) continue
      const { server, tables } = report
      const isEmpty = server !== null && tables.length === 0 && !this.#selectsTables()
      this.note(isEmpty ? noTableText(server.address, connector.address) : describeSource(connector.name, report))
    }
    const palette = paletteOf(process.stderr)
    const text = renderElsewhere({
      command: COMMAND,
      bootstrapServers: broker.bootstrapServers,
      restUrl: client.url,
      topic: topicOf(running, checked),
      folder: this.#options.data ?? null,
      palette,
    })
    process.stderr.write(text)
  }

  async #print({ follower }: Services, signal: AbortSignal): Promise<void> {
    const output = new StdoutOutput(process.stdout)
    const isPretty = (this.#options.format ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty'
    const printer = new EventPrinter({
      palette: isPretty ? paletteOf(process.stdout) : null,
      note: (text) => this.note(text),
    })
    for (;;) {
      const records = await follower.next()
      const text = records.map((record) => printer.print(record)).join('')
      // A reader that does not read must not keep the command from ending.
      if (text !== '' && !(await doneOr(output.write(Buffer.from(text)), signal))) return
    }
  }
}

const BROKER_VARIABLE = 'TRIBUTARY_DEV_BROKER'
const BROKER_REFERENCE = reference(BROKER_VARIABLE)
/** For configurations that are checked without a worker. */
const NO_SERVER = { className: '', password: '', bootstrapServers: 'localhost:9092', serverId: null }

function onAbort(signal: AbortSignal, act: (reason: unknown) => void): void {
  if (signal.aborted) act(signal.reason)
  else signal.addEventListener('abort', () => act(signal.reason), { once: true })
}

function passwordVariable({ name }: DevConnector): string {
  return `TRIBUTARY_DEV_PASSWORD_${name}`
}

function reference(variable: string): string {
  return `\${dev:${variable}}`
}

/** Warnings about production. */
const OF_OPERATION: ReadonlySet<string> = new Set([
  'GTID_OFF',
  'RETENTION_SHORT',
  'RETENTION_SIZE',
  'TLS_ABSENT',
  'TLS_UNUSED',
])

const OF_OPERATION_AND_NAMES = new Set([...OF_OPERATION, 'INCLUDES_UNMATCHED', 'NOTHING_CAPTURED'])

function describeSource(name: string, { server, tables }: CheckReport): string {
  const what = tables.length === 1 ? 'one table' : `${tables.length} tables`
  const product = server === null ? '' : ` of ${server.flavor === 'mysql' ? 'MySQL' : 'MariaDB'} ${server.version}`
  return `connector ${name} captures ${what}${product} at ${server?.address ?? 'an unknown address'}`
}

/** An example of a topic, of a table whose name needs no change for one. */
function topicOf(running: readonly Running[], checked: ReadonlyMap<string, Checked>): string {
  for (const [name, { report }] of checked) {
    const plain = report.tables.find(({ database, table }) => /^[\w.-]+$/.test(`${database}.${table}`))
    if (plain !== undefined) return `${name}.${plain.database}.${plain.table}`
  }
  return `${running[0]?.connector.name ?? 'NAME'}.DATABASE.TABLE`
}

/** Kafka's own port if it is free and none is asked for, since examples use it. */
async function startBroker(
  { port, folder }: { readonly port: number | null; readonly folder: string | null },
  signal: AbortSignal,
): Promise<DevBroker> {
  const start = (wanted: number): Promise<DevBroker> =>
    DevBroker.start({ threadUrl: BROKER_THREAD, port: wanted, folder }, signal)
  if (port !== null) return start(port)
  try {
    return await start(KAFKA_PORT)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'BROKER_PORT') return start(0)
    throw error
  }
}

const KAFKA_PORT = 9092
