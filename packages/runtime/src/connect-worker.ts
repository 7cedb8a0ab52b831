import { availableParallelism } from 'node:os'
import type { ConfigMap, PluginList } from '@tributary/connect-api'
import { createKafka, kafkaOptionsFromProperties, type Kafka } from '@tributary/kafka'
import type { ServerInfo } from '@tributary/rest-api'
import { describeError, StoppedError, toError, type Clock, type Logger, type LogLevels } from '@tributary/support'
import { ClusterStart } from './cluster-start.ts'
import { ConfigProviders, presentConfig, type ResolvedConfig } from './config/providers/config-providers.ts'
import { droppedRestSettings, ignoredSettings } from './config/unsupported-settings.ts'
import { loggerNamed, LOGGER_NAMES } from './config/logger-names.ts'
import { invalidSetting } from './config/invalid-setting.ts'
import { parseWorkerConfig, type WorkerConfig } from './config/worker-config.ts'
import { EventReaders } from './events/event-readers.ts'
import { GroupAssignment } from './group/group-assignment.ts'
import type { GroupView } from './group/group-view.ts'
import { untilFailed } from './group/until-failed.ts'
import { WorkerMembership } from './group/worker-membership.ts'
import { CheckThreads } from './herder/check-thread/check-threads.ts'
import { DistributedHerder } from './herder/distributed-herder.ts'
import { GroupAccess } from './herder/group-access.ts'
import { GroupHerder } from './herder/group-herder.ts'
import { SessionKeyRotation } from './herder/session-key-rotation.ts'
import { Lease } from './lease/lease.ts'
import { connectorTables } from './observability/connector-tables.ts'
import { LiveFeed } from './observability/live/live-feed.ts'
import { LogTail } from './observability/live/log-tail.ts'
import { LossWatch } from './loss/loss-watch.ts'
import { LossMetrics } from './observability/loss-metrics.ts'
import { metricsHandler } from './observability/metrics-handler.ts'
import { MetricsRegistry } from './observability/metrics-registry.ts'
import { ProcessMetrics } from './observability/process-metrics.ts'
import { blockedTasks, workerCondition, type WorkerCondition } from './observability/worker-condition.ts'
import { WorkerMetrics } from './observability/worker-metrics.ts'
import { offsetAccess } from './offset-access.ts'
import { Plugins } from './plugins/plugins.ts'
import { readLogins } from './rest/access/read-logins.ts'
import { ConnectorHealthRoute } from './rest/connector-health.ts'
import { ConnectorSnapshotRoute } from './rest/connector-snapshot.ts'
import { ConnectorTablesRoute } from './rest/connector-tables.ts'
import { HerderGate } from './rest/herder-gate.ts'
import { Probes } from './rest/probes.ts'
import { advertisedAddress } from './rest/advertised-url.ts'
import { createWorkerClient } from './rest/forward/create-client.ts'
import { Forwarder } from './rest/forward/forwarder.ts'
import { workerCallers } from './rest/http/worker-callers.ts'
import { startRestServers, type RestServers } from './rest/rest-servers.ts'
import { EVENT_ROLES } from './rest/ui/event-roles.ts'
import type { PageFiles } from './rest/ui/page-files.ts'
import type { PageOptions } from './rest/ui/page-options.ts'
import type { WorkerStorage } from './storage/worker-storage.ts'
import { SpareThreads } from './worker/spare-threads.ts'
import { TaskThreads } from './worker/task-threads.ts'
import { Worker } from './worker/worker.ts'

export interface ConnectWorkerOptions {
  /** Worker properties: those of a file, then those of the environment. */
  readonly properties: ConfigMap
  /** Loads the plug-ins. Called once, while the REST interface already answers that the worker is starting. */
  readonly loadPlugins: () => Promise<PluginList>
  /** Entry file of the threads, which runs `runThread` with the same plug-ins. */
  readonly threadUrl: URL
  /** Identifies the build in `GET /`. */
  readonly commit: string
  readonly logger: Logger
  /** The levels of that logger. */
  readonly logLevels: LogLevels
  /** The last lines of that logger, for the page. */
  readonly logTail?: LogTail
  /** Called with each step of the start, as a sentence without a full stop. It contains no secrets. */
  readonly onStage?: (stage: string) => void
  /** Loads the files of the page. Called for the first request of it. Absent: no page. */
  readonly loadPage?: () => Promise<PageFiles>
  readonly clock: Clock
  /** Cancels the start when it aborts. */
  readonly signal: AbortSignal
}

/**
 * The version of Kafka Connect whose interface this is; clients choose their requests by it. The version of Tributary
 * itself is in the statuses of the connectors and in `GET /connector-plugins`.
 */
const CONNECT_VERSION = '4.3.1'

/** A worker with its REST interface, storage and tasks: everything that `tributary start` runs. */
export class ConnectWorker implements AsyncDisposable {
  readonly rest: RestServers
  /** All metrics of the worker. */
  readonly metrics: MetricsRegistry
  readonly #live: LiveFeed | null
  readonly #config: WorkerConfig
  readonly #herder: DistributedHerder
  readonly #storage: WorkerStorage
  readonly #membership: WorkerMembership
  readonly #lossWatch: LossWatch
  readonly #readers: EventReaders
  /** Ends the waits for the group. */
  readonly #stopping: AbortController
  #stopped: Promise<void> | null = null

  /** `host:port`, as in the statuses of its connectors. */
  get workerId(): string {
    return workerId(this.#config, this.rest)
  }

  private constructor(parts: {
    rest: RestServers
    metrics: MetricsRegistry
    live: LiveFeed | null
    config: WorkerConfig
    herder: DistributedHerder
    storage: WorkerStorage
    membership: WorkerMembership
    lossWatch: LossWatch
    readers: EventReaders
    stopping: AbortController
  }) {
    this.rest = parts.rest
    this.metrics = parts.metrics
    this.#live = parts.live
    this.#config = parts.config
    this.#herder = parts.herder
    this.#storage = parts.storage
    this.#membership = parts.membership
    this.#lossWatch = parts.lossWatch
    this.#readers = parts.readers
    this.#stopping = parts.stopping
  }

  /**
   * Opens the REST interface, waits for the brokers, joins the group while it reads the internal topics, and starts the
   * stored connectors. Its errors and log lines contain references instead of their values, which may be secret.
   */
  static async start(options: ConnectWorkerOptions): Promise<ConnectWorker> {
    const resolved = ConfigProviders.of(options.properties).resolve(options.properties)
    const { mask } = resolved
    try {
      return await ConnectWorker.#open(
        { ...options, logger: mask.logger(options.logger).child(loggerNamed('worker')) },
        resolved,
      )
    } catch (error) {
      throw error instanceof StoppedError ? error : mask.error(toError(error))
    }
  }

  static async #open(options: ConnectWorkerOptions, resolved: ResolvedConfig): Promise<ConnectWorker> {
    const { logger, clock, signal, properties: workerProperties } = options
    const properties = presentConfig(resolved)
    const config = parseWorkerConfig(properties)
    for (const warning of droppedRestSettings(properties)) logger.warn(warning)
    const ignored = ignoredSettings(properties)
    if (ignored.length > 0) logger.info(`Worker settings without effect in this version: ${ignored.join(', ')}`)
    const logins = readLogins(config.rest)
    const lease = new Lease(clock)
    const assignment = new GroupAssignment()
    const kafka = createClient(options, config, lease)
    const info = { version: CONNECT_VERSION, commit: options.commit, kafka_cluster_id: '' }
    const brokers = resolved.mask.text(config.bootstrapServers.join(','))
    const gate = new HerderGate(info, `Waiting for the brokers at ${brokers}`, options.onStage)
    await using stack = new AsyncDisposableStack()
    const metrics = new MetricsRegistry()
    metrics.add(new ProcessMetrics())
    const live = config.rest.hasPage ? stack.use(createFeed(options, gate)) : null
    const { forwarder, health, snapshot, tables, probes } = createRoutes(options, properties, gate)
    const readers = stack.use(createReaders(options, config, gate))
    const rest = stack.use(
      await startRestServers(config.rest.listeners, {
        allowedCallers: workerCallers(config),
        logins,
        pathPrefix: config.rest.pathPrefix,
        properties,
        page: live === null ? null : pageOptions(options, live, { config, readers }),
        gate,
        ownRoutes: [...probes.routes, health, snapshot, tables, { path: '/metrics', handle: metricsHandler(metrics) }],
        forwarder,
        logger: logger.child(loggerNamed('rest')),
      }),
    )
    const membership = stack.use(
      new WorkerMembership({ kafka, config, ...identity(options, config, rest), assignment, lease, clock, logger }),
    )
    const group = membership.view
    // The plug-ins load meanwhile.
    const cluster = stack.use(new ClusterStart({ kafka, config, membership, logger, clock, signal }))
    const plugins = new Plugins(await options.loadPlugins())
    await plugins.loadFor(properties)
    options.logLevels.know([...Object.values(LOGGER_NAMES), ...plugins.loggerNames])
    // Its error takes precedence over those of the cluster.
    checkConverters(config, plugins)
    const threads = createThreads(options)
    stack.defer(() => threads.discard())
    const serverInfo = { ...info, kafka_cluster_id: await cluster.answered }
    // Loads its code while the worker joins the group, for the first stored connector or for the first new one.
    threads.spawnForAny()
    gate.stage = `Joining group ${config.groupId} and reading the internal topics`
    const storage = await cluster.opened
    const stopping = new AbortController()
    stack.defer(() => stopping.abort())
    const parts = { plugins, config, storage, threads, serverInfo, lease, assignment, group, rest }
    const herder = createHerder(options, parts)
    const keys = createKeys(options, parts, stopping.signal)
    metrics.add(new WorkerMetrics({ herder, lease }))
    probes.findBlockedTasks = (limitMs) => blockedTasks(herder, limitMs)
    membership.listen(herder.work, () => keys.check())
    gate.stage = 'Starting the stored connectors'
    await untilFailed(membership, signal, (limit) => stopWith(herder, config, () => herder.start(limit)))
    const lossWatch = stack.use(LossWatch.over(storage, { plugins, workerProperties, clock, logger }))
    health.source = lossWatch
    metrics.add(new LossMetrics(lossWatch))
    tables.read = (connector) => connectorTables(connector, herder)
    gate.open(new GroupHerder(herder, group, new GroupAccess(group, clock, stopping.signal)))
    live?.observe({ herder, lossWatch })
    logger.info('Worker has completed startup and is ready to handle requests')
    stack.move()
    const running = { herder, storage, membership, lossWatch, readers, stopping }
    return new ConnectWorker({ rest, metrics, live, config, ...running })
  }

  /** Fires when another worker excludes this one: the worker must be stopped. Its reason is the error. */
  get failed(): AbortSignal {
    return this.#membership.failed
  }

  /**
   * The condition of the worker for a supervisor of its process.
   *
   * @param limitMs a task is blocked when its thread has not answered for this time
   */
  condition(limitMs: number): Promise<WorkerCondition> {
    return workerCondition(this.#herder, limitMs)
  }

  /** How long the sources of the connectors keep what these need. */
  get lossWatch(): Pick<LossWatch, 'read'> {
    return this.#lossWatch
  }

  /** The longest that `stop` takes, if the main thread is not blocked. */
  get stopLimitMs(): number {
    return this.#config.shutdownTimeoutMs + STOP_MARGIN_MS
  }

  /**
   * Stops the REST interface, then the tasks with their last offset commits, then the connections, and leaves the
   * group, whose other workers then get the tasks. Idempotent.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#membership.startLeaving()
    this.#stopping.abort()
    await this.rest.close()
    await this.#readers[Symbol.asyncDispose]()
    await this.#live?.[Symbol.asyncDispose]()
    await this.#lossWatch[Symbol.asyncDispose]()
    await this.#herder.stop(this.#config.shutdownTimeoutMs)
    await this.#storage.close()
    await this.#membership.leave()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

function createClient({ logger, clock }: ConnectWorkerOptions, { properties }: WorkerConfig, lease: Lease): Kafka {
  return createKafka({
    ...kafkaOptionsFromProperties(properties),
    securitySetting: 'security.protocol of the worker',
    // Without the lease, writes to the internal topics wait, too: another worker may have this one's work.
    mayWrite: () => lease.isHeld,
    logger: logger.child(loggerNamed('clients')),
    clock,
  })
}

function createFeed({ clock, commit }: ConnectWorkerOptions, gate: HerderGate): LiveFeed {
  return new LiveFeed({ version: commit, health: () => gate.health, clock })
}

/** The routes besides Kafka Connect's, and what forwards requests to the worker that can answer them. */
function createRoutes({ clock, logger }: ConnectWorkerOptions, properties: ConfigMap, gate: HerderGate): Routes {
  const forwarder = new Forwarder({ client: createWorkerClient(properties, clock), gate, clock, logger })
  const health = new ConnectorHealthRoute(gate, forwarder)
  const snapshot = new ConnectorSnapshotRoute(gate, forwarder)
  return { forwarder, health, snapshot, tables: new ConnectorTablesRoute(gate, forwarder), probes: new Probes(gate) }
}

interface Routes {
  readonly forwarder: Forwarder
  readonly health: ConnectorHealthRoute
  readonly snapshot: ConnectorSnapshotRoute
  readonly tables: ConnectorTablesRoute
  readonly probes: Probes
}

interface PageParts {
  readonly config: WorkerConfig
  readonly readers: EventReaders
}

function createReaders(
  { threadUrl, properties }: ConnectWorkerOptions,
  config: WorkerConfig,
  gate: HerderGate,
): EventReaders {
  return new EventReaders({
    threadUrl,
    workerProperties: properties,
    internalTopics: new Set([config.configTopic.name, config.offsetTopic.name, config.statusTopic.name]),
    allowedTopics: config.rest.eventTopics,
    configOf: (connector) =>
      gate.herder.connectorNames().includes(connector) ? gate.herder.connectorConfig(connector) : null,
    topicsOf: (connector) =>
      config.topicTracking.isEnabled ? (gate.herder.connectorTopics(connector)[connector]?.topics ?? []) : null,
  })
}

function pageOptions(
  { loadPage, logTail = new LogTail() }: ConnectWorkerOptions,
  live: LiveFeed,
  { config, readers }: PageParts,
): PageOptions | null {
  if (loadPage === undefined) return null
  const eventRoles = EVENT_ROLES[config.rest.eventReaders]
  return {
    loadFiles: loadPage,
    live: {
      start: (role) => live.start({ access: role, mayReadEvents: eventRoles.has(role) }),
      listen: (onMessage) => live.listen(onMessage),
    },
    log: { start: () => logTail.start(), listen: (onMessage) => logTail.listen(onMessage) },
    events: { roles: eventRoles, open: (request) => readers.open(request) },
  }
}

function createThreads({ threadUrl, clock, logTail }: ConnectWorkerOptions): SpareThreads {
  return new SpareThreads({ threadUrl, clock, onLogLine: (line) => logTail?.add(line) })
}

function checkConverters(config: WorkerConfig, plugins: Plugins): void {
  checkConverter('key.converter', () => plugins.converter(config.keyConverter, true))
  checkConverter('value.converter', () => plugins.converter(config.valueConverter, false))
  checkConverter('header.converter', () => plugins.headerConverter(config.headerConverter))
}

/** Checks a converter of the worker, the default of connectors, now instead of when the first task starts. */
function checkConverter(property: string, create: () => unknown): void {
  try {
    create()
  } catch (error) {
    throw invalidSetting(property, `${property}: ${describeError(error)}`, error)
  }
}

/** A task waits for its servers most of the time, also on a machine with one processor. */
const THREADS_MIN = 4

/** REST has 5 s, statuses have 2 s, and the group 1 s; the rest is for closing connections. */
const STOP_MARGIN_MS = 15_000

interface HerderParts {
  readonly plugins: Plugins
  readonly config: WorkerConfig
  readonly storage: WorkerStorage
  readonly threads: SpareThreads
  readonly serverInfo: ServerInfo
  readonly lease: Lease
  readonly assignment: GroupAssignment
  readonly group: GroupView
  readonly rest: RestServers
}

function identity(
  { commit }: ConnectWorkerOptions,
  config: WorkerConfig,
  rest: RestServers,
): { readonly workerId: string; readonly url: string; readonly version: string } {
  return { ...advertisedAddress(config, rest.ports), version: commit }
}

function createHerder(options: ConnectWorkerOptions, parts: HerderParts): DistributedHerder {
  // With references: each reader of a value resolves it.
  const { threadUrl, logger, logLevels, clock, properties: workerProperties } = options
  const { plugins, config, storage, threads, serverInfo, lease, assignment, group, rest } = parts
  const threadsMax = config.taskThreadsMax || Math.max(THREADS_MIN, availableParallelism())
  const hasLogins = config.rest.basicFile !== null || config.rest.bearerFile !== null
  return new DistributedHerder({
    plugins,
    storage,
    clock,
    logger,
    logLevels,
    workerId: workerId(config, rest),
    assignment,
    configChecks: new CheckThreads({ threadUrl, lend: () => threads.lend(), workerProperties, clock }),
    threadUrl,
    workerProperties,
    internal: { sessionKeys: config.sessionKeys, group, hasLogins },
    serverInfo,
    topicTracking: config.topicTracking,
    ...offsetAccess({ config, storage, workerProperties, mayWrite: () => lease.isHeld, logger, clock }),
    createRunner: (listener) =>
      new Worker({
        threads: new TaskThreads(threads, threadsMax, clock),
        workerProperties,
        listener,
        lease,
        clock,
        logger,
        logLevels,
      }),
  })
}

function createKeys(
  { clock, logger }: ConnectWorkerOptions,
  { storage, config, group }: HerderParts,
  stop: AbortSignal,
): SessionKeyRotation {
  return new SessionKeyRotation({
    configs: storage.configs,
    settings: config.sessionKeys,
    group,
    clock,
    logger,
    stop,
  })
}

/** Stops what the herder has started when its start fails. */
async function stopWith(herder: DistributedHerder, config: WorkerConfig, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await herder.stop(config.shutdownTimeoutMs)
    throw error
  }
}

function workerId(config: WorkerConfig, rest: RestServers): string {
  return advertisedAddress(config, rest.ports).workerId
}
