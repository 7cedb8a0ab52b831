import type { ConfigMap, TaskSignal } from '@tributary/connect-api'
import type {
  AcceptedSignal,
  ConfigInfos,
  ConfigKeyInfo,
  ConfigWarning,
  ConnectorInfo,
  ConnectorOffsets,
  ConnectorStateInfo,
  ConnectorTopics,
  CreateConnectorRequest,
  LoggerLevel,
  Message,
  PluginInfo,
  ServerInfo,
  SourceTables,
  TaskInfo,
  TaskStatus,
  Verification,
  WorkerStatus,
} from '@tributary/rest-api'
import type { SessionKeySettings } from '../../config/session-key-settings.ts'
import { HerderError, type HerderProblem } from '../../herder/herder-error.ts'
import type { Herder, NullableConfig, PutConfigResult } from '../../herder/herder.ts'
import { NOT_HERE } from '../../herder/reconcile/connector-condition.ts'
import { tasksHealth, type TasksHealth } from '../../herder/task-health.ts'
import { refuseSignature, signatureHeaders, type InternalRequest } from '../../session-key/request-signature.ts'
import type { SessionKey } from '../../session-key/session-key.ts'

const defaultSessionKeys: SessionKeySettings = {
  keyAlgorithm: 'HmacSHA256',
  keyBytes: 32,
  keyTtlMs: 3_600_000,
  signatureAlgorithm: 'HmacSHA256',
  verificationAlgorithms: ['HmacSHA256'],
}

interface Registration {
  readonly config: Readonly<Record<string, string>>
  readonly initialState: CreateConnectorRequest['initialState']
}

/** A herder for tests of the REST interface. It keeps registered connectors in memory and runs nothing. */
export class MemoryHerder implements Herder {
  workerStatus: WorkerStatus = {
    status: 'healthy',
    message: 'Worker has completed startup and is ready to handle requests.',
  }
  /** The number of errors that a validation reports. */
  validationErrors = 0
  /** The reason why this worker cannot change anything; null: it can. */
  otherWorker: HerderProblem | null = null
  sessionKey: SessionKey | null = null
  readonly sessionKeys: SessionKeySettings = defaultSessionKeys
  /** Requests that this herder records instead of executing them. */
  readonly recorded: string[] = []
  readonly #connectors = new Map<string, Registration>()
  readonly #plugin: PluginInfo = {
    class: 'io.debezium.connector.mysql.MySqlConnector',
    type: 'source',
    version: '3.6.1.Final',
  }

  serverInfo(): ServerInfo {
    return { version: '4.3.1', commit: '26b251a451ce941d', kafka_cluster_id: 'AAAAAAAAQACAAAAAAAAAAA' }
  }

  health(): WorkerStatus {
    return this.workerStatus
  }

  connectorNames(): readonly string[] {
    return [...this.#connectors.keys()]
  }

  connectorInfo(name: string): ConnectorInfo {
    const { config } = this.#find(name)
    const tasks = this.taskInfos(name).map(({ id }) => id)
    return { name, config, tasks, type: 'source' }
  }

  connectorConfig(name: string): Readonly<Record<string, string>> {
    return this.#find(name).config
  }

  connectorStatus(name: string): ConnectorStateInfo {
    const connector = this.#connectors.get(name)
    if (connector === undefined) throw new HerderError({ tag: 'no connector status', connector: name, request: 'read' })
    const place = { worker_id: '127.0.0.1:8083', version: '3.6.1.Final' }
    const tasks = this.taskInfos(name).map(({ id }) => ({ id: id.task, state: 'RUNNING' as const, ...place }))
    return { name, connector: { state: connector.initialState ?? 'RUNNING', ...place }, tasks, type: 'source' }
  }

  tasksHealth(name: string): TasksHealth {
    return tasksHealth(this.connectorStatus(name), NOT_HERE)
  }

  taskInfos(name: string): readonly TaskInfo[] {
    const { config, initialState } = this.#find(name)
    const isRunning = initialState === null || initialState === 'RUNNING'
    return isRunning ? [{ id: { connector: name, task: 0 }, config }] : []
  }

  taskStatus(name: string, task: number): TaskStatus {
    const status = this.#connectors.has(name) ? this.connectorStatus(name).tasks[task] : undefined
    if (status === undefined) throw new HerderError({ tag: 'no task status', connector: name, task })
    return status
  }

  plugins(): Promise<readonly PluginInfo[]> {
    return Promise.resolve([this.#plugin])
  }

  async pluginConfig(className: string): Promise<readonly ConfigKeyInfo[]> {
    await Promise.resolve()
    if (className === this.#plugin.class) return []
    throw new HerderError({ tag: 'unknown plugin', className })
  }

  async validateConfig(config: NullableConfig): Promise<ConfigInfos> {
    await this.#record('validate')
    return { name: config['connector.class'] ?? '', error_count: this.validationErrors, groups: [], configs: [] }
  }

  createConnector({ name, config, initialState }: CreateConnectorRequest): Promise<ConnectorInfo> {
    if (this.otherWorker !== null) return refuse(this.otherWorker)
    const connectorClass = config['connector.class']
    if (connectorClass === undefined || connectorClass === null) {
      const shown = Object.entries(config).map(([key, value]) => `${key}=${value}`)
      return refuse({ tag: 'no connector class', shownConfig: `{${shown.join(', ')}}` })
    }
    if (connectorClass !== this.#plugin.class) {
      const start = 'Failed to find any class that implements Connector and which name matches'
      const text = `${start} ${connectorClass}, available connectors are: PluginDesc{…}`
      return refuse({ tag: 'unknown connector class', text })
    }
    if (this.#connectors.has(name)) return refuse({ tag: 'connector already exists', connector: name })
    const texts = Object.entries(config).map(([key, value]) => [key, value ?? ''] as const)
    this.#connectors.set(name, { config: Object.fromEntries(texts), initialState })
    return Promise.resolve({ ...this.connectorInfo(name), tasks: [] })
  }

  deleteConnector(name: string): Promise<void> {
    if (this.otherWorker !== null) return refuse(this.otherWorker)
    return this.#connectors.delete(name)
      ? Promise.resolve()
      : refuse({ tag: 'unknown connector', connector: name, request: 'read' })
  }

  async putConnectorConfig(name: string, config: NullableConfig): Promise<PutConfigResult> {
    await this.#change(`put ${name}`)
    return { isNew: true, info: await this.createConnector({ name, config, initialState: null }) }
  }

  async patchConnectorConfig(name: string): Promise<ConnectorInfo> {
    await this.#change(`patch ${name}`)
    return this.connectorInfo(name)
  }

  pauseConnector(name: string): Promise<void> {
    return this.#record(`pause ${name}`)
  }

  resumeConnector(name: string): Promise<void> {
    return this.#record(`resume ${name}`)
  }

  stopConnector(name: string): Promise<void> {
    return this.#change(`stop ${name}`)
  }

  restartConnector(name: string): Promise<void> {
    return this.#change(`restart ${name}`)
  }

  async restartConnectorAndTasks(name: string): Promise<ConnectorStateInfo> {
    await this.#change(`restart all of ${name}`)
    return this.connectorStatus(name)
  }

  restartTask(name: string, task: number): Promise<void> {
    return this.#change(`restart ${name}-${task}`)
  }

  connectorTopics(name: string): ConnectorTopics {
    return { [name]: { topics: [] } }
  }

  resetTopics(name: string): void {
    void this.#record(`reset topics of ${name}`)
  }

  async connectorOffsets(name: string): Promise<ConnectorOffsets> {
    await this.#record(`offsets of ${name}`)
    return { offsets: [] }
  }

  async alterOffsets(name: string): Promise<Message> {
    await this.#change(`alter ${name}`)
    return { message: 'altered' }
  }

  async resetOffsets(name: string): Promise<Message> {
    await this.#change(`reset ${name}`)
    return { message: 'reset' }
  }

  configWarnings(): Promise<readonly ConfigWarning[]> {
    return Promise.resolve([{ property: 'p', message: 'm' }])
  }

  listSourceTables(): Promise<SourceTables> {
    return Promise.resolve({
      tables: [{ database: 'shop', table: 'orders', rows: 3, bytes: 16_384 }],
      is_complete: true,
    })
  }

  loggers(): Readonly<Record<string, LoggerLevel>> {
    return { root: this.logger() }
  }

  logger(): LoggerLevel {
    return { level: 'INFO', last_modified: null }
  }

  setLoggerLevel(name: string): readonly string[] {
    this.recorded.push(`level of ${name}`)
    return [name]
  }

  async setClusterLoggerLevel(name: string): Promise<void> {
    await this.#record(`level of ${name} on all workers`)
  }

  requireRunner(): void {
    if (this.otherWorker !== null) throw new HerderError(this.otherWorker)
  }

  async startVerification(name: string): Promise<Verification> {
    this.#find(name)
    await this.#record(`verify ${name}`)
    return verificationOf(name)
  }

  async snapshot(name: string): Promise<null> {
    this.#find(name)
    return null
  }

  async sendSignal(name: string, { id, type }: TaskSignal): Promise<AcceptedSignal> {
    this.requireRunner()
    await this.#record(`signal ${id} to ${name}`)
    return { id, type, is_repeated: false }
  }

  async verifications(name: string): Promise<readonly Verification[]> {
    this.requireRunner()
    this.#find(name)
    return []
  }

  verification(name: string, id: string): Promise<Verification> {
    return refuse({ tag: 'unknown verification', connector: name, id })
  }

  deleteVerification(name: string, id: string): Promise<void> {
    return refuse({ tag: 'unknown verification', connector: name, id })
  }

  catchUp(): Promise<void> {
    return this.#record('catch up')
  }

  requireSigned(request: InternalRequest): void {
    const refusal = refuseSignature(request, this.sessionKey, this.sessionKeys)
    if (refusal !== null) throw new HerderError(refusal)
  }

  sign(body: Buffer): Readonly<Record<string, string>> {
    return this.sessionKey === null ? {} : signatureHeaders(body, this.sessionKey, this.sessionKeys)
  }

  async putTaskConfigs(name: string, configs: readonly ConfigMap[]): Promise<void> {
    await this.#change(`tasks of ${name}: ${JSON.stringify(configs)}`)
  }

  async fenceZombies(name: string): Promise<void> {
    await this.#change(`fence ${name}`)
  }

  /** A request that another worker may have to execute. */
  #change(request: string): Promise<void> {
    return this.otherWorker === null ? this.#record(request) : refuse(this.otherWorker)
  }

  #record(request: string): Promise<void> {
    this.recorded.push(request)
    return Promise.resolve()
  }

  #find(name: string): Registration {
    const connector = this.#connectors.get(name)
    if (connector === undefined) throw new HerderError({ tag: 'unknown connector', connector: name, request: 'read' })
    return connector
  }
}

function verificationOf(connector: string): Verification {
  const times = { started_ms: 0, ended_ms: null }
  return { id: '1', connector, state: 'RUNNING', ...times, rate: null, error: null, tables: [] }
}

function refuse(problem: HerderProblem): Promise<never> {
  return Promise.reject(new HerderError(problem))
}
