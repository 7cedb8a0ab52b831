import type { ConnectorState, TaskState } from '@tributary/rest-api'
import { doneOr, withTimeout, type Clock, type Logger } from '@tributary/support'
import type { TopicTracking } from '../../config/worker-config.ts'
import type { Plugins } from '../../plugins/plugins.ts'
import type { StatusRecord } from '../../storage/status-store.ts'
import type { Storage } from '../../storage/storage.ts'
import { StartCounts } from '../../worker/start-counts.ts'
import type { Assignment } from './assignment.ts'

export interface StatusReporterOptions {
  readonly plugins: Plugins
  readonly storage: Storage
  readonly clock: Clock
  readonly logger: Logger
  /** `host:port` under which this worker is known. */
  readonly workerId: string
  readonly topicTracking: TopicTracking
  readonly assignment: Assignment
}

/** Writes the statuses of the connectors and tasks that are assigned to this worker, and of no others. */
export class StatusReporter {
  /** Of connectors, since the worker was started. */
  readonly startCounts: StartCounts = new StartCounts()
  readonly #options: StatusReporterOptions
  readonly #running = new Set<string>()

  constructor(options: StatusReporterOptions) {
    this.#options = options
  }

  connector(name: string, state: ConnectorState, trace: string | null = null): void {
    const { storage, assignment } = this.#options
    if (!assignment.hasConnector(name) || storage.configs.get(name) === null) return
    this.#countStart(name, state)
    storage.statuses.putConnector(name, this.#status(name, state, trace))
  }

  #countStart(name: string, state: ConnectorState): void {
    if (state === 'FAILED') this.startCounts.failed += 1
    if (state === 'RUNNING' && !this.#running.has(name)) this.startCounts.succeeded += 1
    if (state === 'RUNNING') this.#running.add(name)
    else this.#running.delete(name)
  }

  task(name: string, task: number, state: TaskState, trace: string | null = null): void {
    const { storage, assignment } = this.#options
    // A late report of a deleted connector's task must not bring its status back.
    if (!assignment.hasTask(name, task) || storage.configs.get(name) === null) return
    if (state === 'UNASSIGNED' && this.taskState(name, task) === state) return
    storage.statuses.putTask(name, task, this.#status(name, state, trace))
  }

  /** The state in the task's last known status. */
  taskState(name: string, task: number): TaskState | null {
    const found = this.#options.storage.statuses.tasks(name).find(([number]) => number === task)
    return found?.[1].state ?? null
  }

  removeTask(name: string, task: number): void {
    const { storage, assignment } = this.#options
    if (assignment.hasTask(name, task)) storage.statuses.removeTask(name, task)
  }

  /** Removes all statuses and topics of a connector. */
  remove(name: string): void {
    const { storage, assignment } = this.#options
    this.#running.delete(name)
    if (assignment.hasConnector(name)) storage.statuses.remove(name)
  }

  /** Removes what an incomplete deletion left of connectors that no longer exist. */
  removeOrphans(): void {
    const { configs, statuses } = this.#options.storage
    for (const name of statuses.names) if (configs.get(name) === null) this.remove(name)
  }

  /** Records that a task has written to a topic. */
  topic(name: string, task: number, topic: string): void {
    const { storage, clock, topicTracking, assignment } = this.#options
    if (!topicTracking.isEnabled || !assignment.hasTask(name, task)) return
    if (storage.configs.get(name) !== null) storage.statuses.putTopic(name, task, topic, clock.now())
  }

  #status<S extends ConnectorState>(name: string, state: S, trace: string | null): StatusRecord<S> {
    const { plugins, storage, workerId } = this.#options
    const className = storage.configs.get(name)?.config['connector.class'] ?? ''
    const isUnversioned = state === 'UNASSIGNED' || state === 'RESTARTING'
    const version = isUnversioned ? null : (plugins.source(className)?.version ?? null)
    return { state, trace, worker_id: workerId, generation: GENERATION, version }
  }

  /** Waits for a while until every status is stored. */
  async settle(): Promise<void> {
    const { storage, clock, logger } = this.#options
    try {
      await withTimeout(clock, SETTLE_TIMEOUT_MS, (limit) => doneOr(storage.statuses.settled(), limit))
    } catch {
      logger.warn(`The last statuses could not be stored within ${SETTLE_TIMEOUT_MS} ms; the next start corrects them`)
    }
  }
}

/** How long a stop waits for brokers to store statuses. Short, since nothing depends on statuses. */
const SETTLE_TIMEOUT_MS = 2_000
/** Statuses carry the generation of the group; a worker that is alone has one generation. */
const GENERATION = 1
