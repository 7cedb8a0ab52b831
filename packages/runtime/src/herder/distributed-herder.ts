import type { ConfigMap } from '@tributary/connect-api'
import type {
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
  TaskInfo,
  TaskStatus,
  WorkerStatus,
} from '@tributary/rest-api'
import {
  describeError,
  doneOr,
  type LogLevelName,
  type LogLevels,
  StoppedError,
  throwIfStopped,
  toError,
  withTimeout,
} from '@tributary/support'
import type { TopicTracking } from '../config/worker-config.ts'
import { runtimeErrors } from '../errors.ts'
import type { StoredConnector, TargetState } from '../storage/config-store.ts'
import { offsetJson, offsetKey } from '../storage/offset-record.ts'
import type { TextRecord } from '../storage/topic-writer.ts'
import { ConnectorLifecycle, type ConnectorLifecycleOptions } from './connector-lifecycle.ts'
import { configInfos, keyInfos } from './config-infos.ts'
import { checkConfig, validateConnector, withoutNulls, type ValidatorContext } from './connector-validator.ts'
import { connectorWarnings, sharingWarnings } from './config-warnings.ts'
import { ConnectorViews } from './connector-views.ts'
import type { AlteredOffset, Herder, NullableConfig, PutConfigResult, RestartOptions } from './herder.ts'
import { HerderError } from './herder-error.ts'
import { planRestart } from './restart-plan.ts'
import { SerialQueue } from './serial-queue.ts'

export interface HerderOptions extends ConnectorLifecycleOptions {
  readonly serverInfo: ServerInfo
  /** The worker's own settings: those of the connectors' clients and converters go over them. */
  readonly workerProperties: ConfigMap
  /** Those of this process, threads of tasks included. */
  readonly logLevels: LogLevels
}

/**
 * Looks after the connectors of a group in which this worker is alone (Connect's DistributedHerder without the group).
 *
 * A request changes what is stored and is answered when that is done. The store then tells of the change, whoever made it, and
 * the lifecycle brings what runs to what is stored. Both kinds of work go through one queue, in order: creating and deleting the
 * same connector at once gives one of the two outcomes, never half of each. Reads look at the stores in memory.
 */
export class DistributedHerder implements Herder {
  readonly #options: HerderOptions
  readonly #views: ConnectorViews
  readonly #lifecycle: ConnectorLifecycle
  readonly #queue = new SerialQueue()
  readonly #stop = new AbortController()

  constructor(options: HerderOptions) {
    this.#options = options
    this.#views = new ConnectorViews(options.storage, options.plugins)
    this.#lifecycle = new ConnectorLifecycle(options)
  }

  /** Starts every stored connector. The storage has been read to its end. */
  async start(signal: AbortSignal): Promise<void> {
    const { configs } = this.#options.storage
    configs.listen((name) => this.#reconcile(name))
    // Levels that were set before this worker started are not for it, as with Connect.
    configs.listenToLoggers((name, level) => void this.setLoggerLevel(name, level))
    this.#lifecycle.removeOrphans()
    for (const name of configs.names) this.#reconcile(name)
    await doneOr(this.#queue.drain(), signal)
    if (configs.names.length === 0) this.#lifecycle.expectFirst()
  }

  serverInfo(): ServerInfo {
    return this.#options.serverInfo
  }

  health(): WorkerStatus {
    const { failure } = this.#options.storage
    if (failure !== null) return { status: 'unhealthy', message: failure.message }
    return { status: 'healthy', message: 'Worker has completed startup and is ready to handle requests.' }
  }

  connectorNames(): readonly string[] {
    return this.#views.names
  }

  connectorInfo(name: string): ConnectorInfo {
    return this.#views.info(name)
  }

  connectorConfig(name: string): ConfigMap {
    return this.#views.stored(name).config
  }

  connectorStatus(name: string): ConnectorStateInfo {
    return this.#views.status(name)
  }

  taskInfos(name: string): readonly TaskInfo[] {
    return this.#views.taskInfos(name)
  }

  taskStatus(name: string, task: number): TaskStatus {
    return this.#views.taskStatus(name, task)
  }

  plugins(connectorsOnly: boolean): readonly PluginInfo[] {
    return this.#options.plugins.list(connectorsOnly)
  }

  pluginConfig(className: string): readonly ConfigKeyInfo[] {
    const plugin = this.#options.plugins.source(className)
    if (plugin === null) throw new HerderError({ tag: 'unknown plugin', className })
    return keyInfos(plugin.createConnector().config().keys)
  }

  async validateConfig(config: NullableConfig): Promise<ConfigInfos> {
    const properties = await checkConfig(this.#validator, config, this.#stop.signal)
    return configInfos(config['connector.class'] ?? '', properties)
  }

  async createConnector({ name, config, initialState }: CreateConnectorRequest): Promise<ConnectorInfo> {
    const { storage } = this.#options
    if (initialState === null || initialState === 'RUNNING') this.#lifecycle.expect(name, config)
    const valid = await this.#validate(config)
    await this.#change(async (signal) => {
      if (storage.configs.get(name) !== null)
        throw new HerderError({ tag: 'connector already exists', connector: name })
      const targetState = initialState === 'RUNNING' ? 'STARTED' : initialState
      await storage.configs.putConnector(name, valid, targetState, signal)
    })
    this.#logSharing(name, valid)
    return { name, config: valid, tasks: [], type: 'source' }
  }

  async putConnectorConfig(name: string, config: NullableConfig): Promise<PutConfigResult> {
    const { configs } = this.#options.storage
    this.#lifecycle.expect(name, config)
    const valid = await this.#validate(config)
    const result = await this.#change<PutConfigResult>(async (signal) => {
      const isNew = configs.get(name) === null
      const tasks = isNew ? [] : this.#views.info(name).tasks
      await configs.putConnector(name, valid, null, signal)
      return { isNew, info: { name, config: valid, tasks, type: 'source' } }
    })
    this.#logSharing(name, valid)
    return result
  }

  async patchConnectorConfig(name: string, patch: NullableConfig): Promise<ConnectorInfo> {
    const { configs } = this.#options.storage
    for (;;) {
      const { config } = this.#views.stored(name)
      const valid = await this.#validate(patched(config, patch))
      const info = await this.#change(async (signal) => {
        // Validating takes as long as a database takes: what somebody else has stored meanwhile must not be undone.
        if (this.#views.stored(name).config !== config) return null
        await configs.putConnector(name, valid, null, signal)
        return { ...this.#views.info(name), config: valid }
      })
      if (info === null) continue
      this.#logSharing(name, valid)
      return info
    }
  }

  async configWarnings(config: NullableConfig): Promise<readonly ConfigWarning[]> {
    const given = withoutNulls(config)
    const own = await connectorWarnings(this.#validator, given, this.#stop.signal)
    return [...this.#sharing(given['name'] ?? '', given), ...own]
  }

  /** Connect's answers have no place for it. What the connector itself warns of is logged when its task starts. */
  #logSharing(name: string, config: ConfigMap): void {
    const { logger } = this.#options
    for (const { message } of this.#sharing(name, config)) logger.warn(message, { connectorName: name })
  }

  #sharing(name: string, config: ConfigMap): readonly ConfigWarning[] {
    const { configs } = this.#options.storage
    const others = new Map(
      configs.names.flatMap((each) => (each === name ? [] : [[each, configs.get(each)?.config ?? {}]])),
    )
    return sharingWarnings(this.#options, config, others)
  }

  #validate(config: NullableConfig): Promise<ConfigMap> {
    return validateConnector(this.#validator, config, this.#stop.signal)
  }

  get #validator(): ValidatorContext {
    const { plugins, workerProperties, storage } = this.#options
    return {
      plugins,
      workerProperties,
      hasOffsets: (name) => storage.offsets.partitions(name).length > 0,
    }
  }

  async deleteConnector(name: string): Promise<void> {
    await this.#change(async (signal) => {
      this.#views.stored(name)
      await this.#options.storage.configs.removeConnector(name, signal)
    })
  }

  pauseConnector(name: string): Promise<void> {
    return this.#putTargetState(name, 'PAUSED')
  }

  resumeConnector(name: string): Promise<void> {
    return this.#putTargetState(name, 'STARTED')
  }

  stopConnector(name: string): Promise<void> {
    return this.#putTargetState(name, 'STOPPED')
  }

  async #putTargetState(name: string, state: TargetState): Promise<void> {
    const { configs } = this.#options.storage
    await this.#change(async (signal) => {
      if (configs.get(name) === null)
        throw new HerderError({ tag: 'unknown connector', connector: name, request: 'set target state' })
      await configs.putTargetState(name, state, signal)
    })
  }

  async restartConnector(name: string): Promise<void> {
    await this.#change(() => {
      this.#knownConnector(name)
      this.#reconcile(name)
    })
  }

  restartConnectorAndTasks(name: string, options: RestartOptions): Promise<ConnectorStateInfo> {
    return this.#change(() => {
      this.#knownConnector(name)
      const plan = planRestart(this.#views.statusToRestart(name), options)
      this.#lifecycle.noteRestart(name, plan)
      this.#reconcile(name)
      return plan
    })
  }

  async restartTask(name: string, task: number): Promise<void> {
    await this.#change(() => {
      const { taskConfigs } = this.#knownConnector(name)
      if (taskConfigs?.[task] === undefined) throw new HerderError({ tag: 'unknown task', connector: name, task })
      this.#lifecycle.noteTaskRestart(name, task)
      this.#reconcile(name)
    })
  }

  connectorTopics(name: string): ConnectorTopics {
    this.#checkTracking('isEnabled')
    return { [name]: { topics: this.#options.storage.statuses.topics(name) } }
  }

  resetTopics(name: string): void {
    this.#checkTracking('isEnabled')
    this.#checkTracking('mayReset')
    this.#lifecycle.resetTopics(name)
  }

  #checkTracking(what: keyof TopicTracking): void {
    if (this.#options.topicTracking[what]) return
    throw new HerderError({ tag: what === 'isEnabled' ? 'topic tracking disabled' : 'topic reset disabled' })
  }

  async connectorOffsets(name: string): Promise<ConnectorOffsets> {
    const { storage } = this.#options
    this.#views.stored(name)
    await this.#limited((signal) => storage.readOffsetsToEnd(signal), runtimeErrors.OFFSET_READ_FAILED)
    return { offsets: storage.offsets.offsets(name) }
  }

  async alterOffsets(name: string, altered: readonly AlteredOffset[]): Promise<Message> {
    const { offsets } = this.#options.storage
    await this.#changeOffsets(name, () =>
      altered.map(({ partition, offset }) => ({
        key: offsetKey(name, offsets.storedPartition(name, partition)),
        value: offset === null ? null : offsetJson(offset),
      })),
    )
    return { message: offsetsMessage('altered') }
  }

  async resetOffsets(name: string): Promise<Message> {
    const { offsets } = this.#options.storage
    await this.#changeOffsets(name, () =>
      offsets.partitions(name).map((each) => ({ key: offsetKey(name, each), value: null })),
    )
    return { message: offsetsMessage('reset') }
  }

  /** In a turn of its own: the tasks of a connector that is stopped have then ended and stored their last offsets. */
  async #changeOffsets(name: string, records: () => readonly TextRecord[]): Promise<void> {
    const { storage } = this.#options
    const work = async (signal: AbortSignal): Promise<void> => {
      const { targetState, taskConfigs } = this.#views.stored(name)
      if (targetState !== 'STOPPED' || (taskConfigs ?? []).length > 0)
        throw new HerderError({ tag: 'connector not stopped', connector: name })
      await storage.readOffsetsToEnd(signal)
      await storage.writeOffsets(records(), signal)
    }
    await this.#limited((signal) => this.#inTurn(work, signal), runtimeErrors.OFFSET_WRITE_FAILED)
  }

  loggers(): Readonly<Record<string, LoggerLevel>> {
    return Object.fromEntries(this.#options.logLevels.names().map((name) => [name, this.logger(name)]))
  }

  logger(name: string): LoggerLevel {
    const found = this.#options.logLevels.find(name)
    if (found === null) throw new HerderError({ tag: 'unknown logger', logger: name })
    return { level: found.level, last_modified: found.lastModifiedMs }
  }

  setLoggerLevel(name: string, level: LogLevelName): readonly string[] {
    const { logLevels, clock } = this.#options
    return logLevels.set(name, level, clock.now())
  }

  async setClusterLoggerLevel(name: string, level: LogLevelName): Promise<void> {
    await this.#change((signal) => this.#options.storage.configs.putLoggerLevel(name, level, signal))
  }

  /** 404 in the words of the restarts. */
  #knownConnector(name: string): StoredConnector {
    const connector = this.#options.storage.configs.get(name)
    if (connector === null) throw new HerderError({ tag: 'unknown connector', connector: name, request: 'restart' })
    return connector
  }

  /** Does a change in its turn. One that is given up may still take effect: the store tells of it then. */
  #change<T>(work: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
    return this.#limited((signal) => this.#inTurn(work, signal), runtimeErrors.CONFIG_WRITE_FAILED)
  }

  /** Waits for work with a topic within the limit; what goes wrong is told as the failure. */
  async #limited<T>(
    work: (signal: AbortSignal) => Promise<T>,
    failure: (values: { readonly reason: string }) => Error,
  ): Promise<T> {
    const { clock } = this.#options
    const stop = this.#stop.signal
    try {
      return await withTimeout(clock, CHANGE_TIMEOUT_MS, (signal) => doneOr(work(signal), signal), stop)
    } catch (error) {
      if (error instanceof HerderError) throw error
      if (stop.aborted) throw new HerderError({ tag: 'worker stopping' }, error)
      const reason = error instanceof StoppedError ? `no answer within ${CHANGE_TIMEOUT_MS} ms` : describeError(error)
      throw new HerderError({ tag: 'storage failed', reason: failure({ reason }).message }, error)
    }
  }

  #inTurn<T>(work: (signal: AbortSignal) => Promise<T> | T, signal: AbortSignal): Promise<T> {
    return this.#queue.run(async () => {
      throwIfStopped(signal)
      return work(signal)
    })
  }

  #reconcile(name: string): void {
    const { signal } = this.#stop
    this.#inTurn((stop) => this.#lifecycle.reconcile(name, stop), signal).catch((error: unknown) => {
      if (error instanceof StoppedError) return
      this.#options.logger.error(`Connector ${name} could not be brought to what is stored about it`, {
        error: toError(error),
      })
    })
  }

  /** Ends all tasks and says in the statuses that nobody runs them. */
  async stop(limitMs: number): Promise<void> {
    this.#stop.abort()
    await Promise.all([this.#lifecycle.stop(limitMs), this.#queue.drain()])
  }
}

/** As long as Connect tries to write to the config topic. */
const CHANGE_TIMEOUT_MS = 30_000

function patched(config: ConfigMap, patch: NullableConfig): NullableConfig {
  const changed = new Map<string, string | null>(Object.entries(config))
  for (const [property, value] of Object.entries(patch)) {
    if (value === null) changed.delete(property)
    else changed.set(property, value)
  }
  return Object.fromEntries(changed)
}

/** What Connect says of every connector that does not look after its offsets itself; Debezium's does not. */
function offsetsMessage(done: 'altered' | 'reset'): string {
  return `The Connect framework-managed offsets for this connector have been ${done} successfully. However, if this connector manages offsets externally, they will need to be manually ${done} in the system that the connector uses.`
}
