import { createKafka, kafkaOptionsFromProperties } from '@tributary/kafka'
import type { ConfigMap, PluginList } from '@tributary/connect-api'
import {
  ClusterStart,
  DistributedHerder,
  GroupAccess,
  GroupAssignment,
  GroupHerder,
  Lease,
  offsetAccess,
  parseWorkerConfig,
  Plugins,
  SameThreadChecks,
  Worker,
  WorkerMembership,
  type WorkerStorage,
} from '@tributary/runtime'
import { LogLevels, type Logger } from '@tributary/support'
import { DomainClock } from './domain-clock.ts'
import type { Network } from './network.ts'
import { Domain, type Scheduler } from './scheduler.ts'
import { SimulatedThreads } from './threads.ts'

export interface WorkerProcessOptions {
  readonly scheduler: Scheduler
  readonly network: Network
  /** `worker-1`; its REST interface would be at `http://worker-1:8083/`. */
  readonly host: string
  readonly properties: ConfigMap
  readonly plugins: PluginList
  readonly logger: (domain: Domain) => Logger
  /** The process has ended by itself. */
  readonly onExit: (reason: unknown) => void
}

/** The parts of a worker that has started. */
export interface RunningWorker {
  readonly herder: GroupHerder
  readonly lease: Lease
}

/**
 * A process that runs a worker: all of `ConnectWorker` (packages/runtime/src/connect-worker.ts) except its REST
 * interface, its page and its metrics, put together in the same way and order.
 */
export class WorkerProcess {
  readonly domain: Domain
  readonly threads: SimulatedThreads
  readonly #options: WorkerProcessOptions
  readonly #stopping = new AbortController()
  readonly #ended: (() => void)[] = []
  #running: RunningWorker | null = null
  #stop: (() => Promise<void>) | null = null
  #isStopping = false

  constructor(options: WorkerProcessOptions, incarnation: number) {
    const { scheduler, network, host, logger, plugins } = options
    this.#options = options
    this.domain = new Domain(scheduler, `${host}#${incarnation}`)
    this.threads = new SimulatedThreads({
      scheduler,
      network,
      domain: this.domain,
      plugins: () => new Plugins(plugins),
      logger: logger(this.domain),
    })
    scheduler.in(this.domain, () => void this.#main())
  }

  /** Null while it starts, and when it has ended. */
  get running(): RunningWorker | null {
    return this.domain.isDead ? null : this.#running
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** As SIGTERM. */
  terminate(): void {
    if (this.#isStopping || this.domain.isDead) return
    this.#isStopping = true
    this.#options.scheduler.in(this.domain, () => void this.#end())
  }

  async #main(): Promise<void> {
    try {
      await this.#start()
    } catch (error) {
      this.#exit(error)
    }
  }

  async #end(): Promise<void> {
    this.#stopping.abort()
    try {
      await this.#stop?.()
    } finally {
      this.#exit(null)
    }
  }

  #exit(reason: unknown): void {
    if (this.domain.isDead) return
    this.#running = null
    this.domain.kill()
    for (const run of this.#ended) run()
    this.#options.onExit(reason)
  }

  async #start(): Promise<void> {
    const { scheduler, network, host, properties } = this.#options
    const clock = new DomainClock(scheduler, this.domain)
    const logger = this.#options.logger(this.domain)
    const openSocket = network.openSocket(this.domain)
    const signal = this.#stopping.signal
    const config = parseWorkerConfig(properties)
    const lease = new Lease(clock)
    const assignment = new GroupAssignment()
    const mayWrite = (): boolean => lease.isHeld
    const kafka = createKafka({ ...kafkaOptionsFromProperties(properties), mayWrite, openSocket, logger, clock })
    const [workerId, url] = [`${host}:8083`, `http://${host}:8083/`]
    const membership = new WorkerMembership({
      kafka,
      config,
      workerId,
      url,
      version: 'simulated',
      assignment,
      lease,
      // No process sees whether another one runs, as on different machines.
      process: null,
      clock,
      logger,
    })
    const cluster = new ClusterStart({ kafka, config, membership, logger, clock, signal })
    this.#stop = async () => {
      await cluster[Symbol.asyncDispose]()
      await membership.leave()
    }
    const plugins = new Plugins(this.#options.plugins)
    const kafka_cluster_id = await cluster.answered
    const storage = await cluster.opened
    const group = membership.view
    const access = { config, storage, workerProperties: properties, mayWrite, openSocket, logger, clock }
    const logLevels = new LogLevels('OFF')
    const { threads } = this
    const herder = new DistributedHerder({
      plugins,
      storage,
      clock,
      logger,
      logLevels,
      workerId,
      assignment,
      workerProperties: properties,
      configChecks: new SameThreadChecks({ plugins, workerProperties: properties }),
      threadUrl: new URL('file:///no-thread'),
      internal: { sessionKeys: config.sessionKeys, group, hasLogins: false },
      serverInfo: { version: '4.3.1', commit: 'simulated', kafka_cluster_id },
      topicTracking: config.topicTracking,
      ...offsetAccess(access),
      createRunner: (listener) =>
        new Worker({ threads, workerProperties: properties, listener, lease, clock, logger, logLevels }),
    })
    this.#stop = async () => this.#stopAll({ membership, herder, storage, limitMs: config.shutdownTimeoutMs })
    membership.failed.addEventListener('abort', () => this.#onFailed(membership.failed.reason))
    membership.listen(herder.work, () => undefined)
    await herder.start(AbortSignal.any([signal, membership.failed]))
    this.#running = { herder: new GroupHerder(herder, group, new GroupAccess(group, clock, signal)), lease }
  }

  /** As the cli: the worker stops, the process ends, and its supervisor starts it again. */
  #onFailed(reason: unknown): void {
    this.#isStopping = true
    this.#stopping.abort()
    void this.#stop?.().finally(() => this.#exit(reason))
  }

  async #stopAll({ membership, herder, storage, limitMs }: StoppedParts): Promise<void> {
    membership.startLeaving()
    await herder.stop(limitMs)
    await storage.close()
    await membership.leave()
  }
}

interface StoppedParts {
  readonly membership: WorkerMembership
  readonly herder: DistributedHerder
  readonly storage: WorkerStorage
  readonly limitMs: number
}
