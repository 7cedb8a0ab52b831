import type { ConnectorState, TaskState } from '@tributary/rest-api'
import { doneOr, withTimeout, type Clock, type Logger } from '@tributary/support'
import type { TopicTracking } from '../../config/worker-config.ts'
import type { Plugins } from '../../plugins/plugins.ts'
import type { StatusRecord } from '../../storage/status-store.ts'
import type { Storage } from '../../storage/storage.ts'
import { StartCounts } from '../../worker/start-counts.ts'
import type { GroupMembers } from '../../group/group-work.ts'
import type { Work } from '../../group/protocol/work.ts'
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

/**
 * Writes the statuses of the connectors and tasks that are assigned to this worker. As leader it also writes UNASSIGNED
 * for connectors and tasks that nobody runs.
 */
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
    const isOwn = assignment.hasConnector(name) || assignment.isReleasingConnector(name)
    if (!isOwn || storage.configs.get(name) === null) return
    this.#countStart(name, state)
    this.#putConnector(name, state, trace)
  }

  /** Writes a status again that something else was written in place of. */
  repeatConnector(name: string, state: ConnectorState, trace: string | null): void {
    const { storage, assignment } = this.#options
    if (assignment.hasConnector(name) && storage.configs.get(name) !== null) this.#putConnector(name, state, trace)
  }

  #putConnector(name: string, state: ConnectorState, trace: string | null): void {
    const { storage } = this.#options
    if (!this.#mayReplace(storage.statuses.connector(name), state)) return
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
    const isOwn = assignment.hasTask(name, task) || assignment.isReleasingTask(name, task)
    if (!isOwn || storage.configs.get(name) === null) return
    const current = this.#taskStatus(name, task)
    if (state === 'UNASSIGNED' && current?.state === state) return
    if (!this.#mayReplace(current, state)) return
    storage.statuses.putTask(name, task, this.#status(name, state, trace))
  }

  /**
   * A late FAILED must not replace the status that another worker has written with a later generation (Connect's
   * `putSafe`). It may replace an UNASSIGNED status, since nobody runs that work, and any status while this worker is
   * alone. Generations prove nothing then: they begin again when a group was deleted, and a worker that is alone starts
   * before its first round.
   */
  #mayReplace(current: StatusRecord<ConnectorState> | null, state: ConnectorState): boolean {
    if (state !== 'FAILED' || current === null || current.state === 'UNASSIGNED') return true
    const { workerId, assignment } = this.#options
    if (assignment.isAll) return true
    return current.worker_id === workerId || current.generation <= assignment.generation
  }

  /** The state in the task's last known status. */
  taskState(name: string, task: number): TaskState | null {
    return this.#taskStatus(name, task)?.state ?? null
  }

  #taskStatus(name: string, task: number): StatusRecord<TaskState> | null {
    return this.#options.storage.statuses.tasks(name).find(([number]) => number === task)?.[1] ?? null
  }

  removeTask(name: string, task: number): void {
    const { storage, assignment } = this.#options
    const isOwn = assignment.hasTask(name, task) || assignment.isReleasingTask(name, task)
    if (isOwn) storage.statuses.removeTask(name, task)
  }

  /** Removes all statuses and topics of a connector. */
  remove(name: string): void {
    const { storage, assignment } = this.#options
    this.#running.delete(name)
    if (assignment.hasConnector(name)) storage.statuses.remove(name)
  }

  /** For the leader: removes what an incomplete deletion left of connectors that no longer exist. */
  removeOrphans(): void {
    const { storage, assignment } = this.#options
    const { configs, statuses } = storage
    if (!assignment.isLeader) return
    for (const name of statuses.names) if (configs.get(name) === null) statuses.remove(name)
  }

  /**
   * For the leader: writes UNASSIGNED for work that nobody runs and whose last worker has left the group, because
   * nobody else would. Also removes the statuses of tasks that no longer exist once no member runs them: their last
   * worker may have left before it could.
   */
  reportIdle(idle: Work, { workers, mayRunTask }: GroupMembers): void {
    const { storage, assignment } = this.#options
    const { configs, statuses } = storage
    if (!assignment.isLeader) return
    this.removeOrphans()
    const isGone = (status: StatusRecord<ConnectorState>): boolean => !workers.has(status.worker_id)
    for (const name of idle.connectors) {
      const status = statuses.connector(name)
      if (status !== null && isGone(status) && status.state !== 'UNASSIGNED')
        statuses.putConnector(name, this.#unassigned(status))
    }
    for (const { connector, task } of idle.tasks) {
      const status = this.#taskStatus(connector, task)
      if (status !== null && isGone(status) && status.state !== 'UNASSIGNED')
        statuses.putTask(connector, task, this.#unassigned(status))
    }
    for (const name of configs.names) {
      const count = configs.get(name)?.taskConfigs?.length ?? 0
      for (const [task] of statuses.tasks(name))
        if (task >= count && !mayRunTask(name, task)) statuses.removeTask(name, task)
    }
  }

  /** The status keeps the worker that ran it last. */
  #unassigned({ worker_id }: StatusRecord<ConnectorState>): StatusRecord<'UNASSIGNED'> {
    const { generation } = this.#options.assignment
    return { state: 'UNASSIGNED', trace: null, worker_id, generation, version: null }
  }

  /** Records that a task has written to a topic. */
  topic(name: string, task: number, topic: string): void {
    const { storage, clock, topicTracking, assignment } = this.#options
    if (!topicTracking.isEnabled || !assignment.hasTask(name, task)) return
    if (storage.configs.get(name) !== null) storage.statuses.putTopic(name, task, topic, clock.now())
  }

  #status<S extends ConnectorState>(name: string, state: S, trace: string | null): StatusRecord<S> {
    const { plugins, storage, workerId, assignment } = this.#options
    const className = storage.configs.get(name)?.config['connector.class'] ?? ''
    const isUnversioned = state === 'UNASSIGNED' || state === 'RESTARTING'
    const version = isUnversioned ? null : (plugins.source(className)?.version ?? null)
    return { state, trace, worker_id: workerId, generation: assignment.generation, version }
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
