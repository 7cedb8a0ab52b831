import type { ConfigMap } from '@tributary/connect-api'
import type { LogRecord } from '@tributary/kafka'
import type { Logger, LogLevelName } from '@tributary/support'
import { SESSION_KEY_RECORD, sessionKeyJson, type SessionKey } from '../session-key/session-key.ts'
import { DesiredState, type DesiredChange, type DesiredConnector, type TargetState } from './desired-state.ts'
import type { RestartRequest } from './desired-state.ts'
import type { TextRecord } from './topic-writer.ts'

/** Where configurations are written: the config topic, or memory in tests. */
export interface ConfigLog {
  /** Stores the records together; resolves when they are stored safely. */
  write(records: readonly TextRecord[], signal?: AbortSignal): Promise<void>
  /** Resolves when every record stored before the call has been applied. */
  readToEnd(signal?: AbortSignal): Promise<void>
}

/**
 * The config topic: writes its records and keeps the desired state that they add up to.
 *
 * A write has taken effect when its method resolves. One whose signal aborts may take effect later; so code that acts
 * on configurations listens for changes instead of relying on what it has written.
 */
export class ConfigStore {
  readonly #desired = new DesiredState()
  readonly #log: ConfigLog
  readonly #logger: Logger
  #onChange: (change: DesiredChange) => void = () => undefined
  #offset = -1n
  #workChangedAt = -1n
  /** The number of tasks by connector, as of the last change. */
  readonly #taskCounts = new Map<string, number>()

  constructor(log: ConfigLog, logger: Logger) {
    this.#log = log
    this.#logger = logger
  }

  /**
   * Calls back for each record that changes something. Called while records are applied: the listener must not wait.
   */
  listen(onChange: (change: DesiredChange) => void): void {
    this.#onChange = onChange
  }

  /** One more than the offset of the last applied record (Connect's config offset); -1 before the first. */
  get offset(): bigint {
    return this.#offset
  }

  /** The offset after the last record that added or removed a connector or tasks; -1 before the first. */
  get workChangedAt(): bigint {
    return this.#workChangedAt
  }

  /** Resolves when every record that was stored before the call has been applied. */
  readToEnd(signal?: AbortSignal): Promise<void> {
    return this.#log.readToEnd(signal)
  }

  get names(): readonly string[] {
    return this.#desired.names
  }

  get(name: string): DesiredConnector | null {
    return this.#desired.get(name)
  }

  /** The key with which workers sign requests to each other; null until a leader has stored one. */
  get sessionKey(): SessionKey | null {
    return this.#desired.sessionKey
  }

  /** Stores a key for all workers of the group: the work of its leader. */
  async putSessionKey(key: SessionKey, signal?: AbortSignal): Promise<void> {
    await this.#write([{ key: SESSION_KEY_RECORD, value: sessionKeyJson(key) }], signal)
  }

  /**
   * Stores a connector, after its target state, so that no reader sees the connector without it. With null an existing
   * connector keeps its target state; a new one is STARTED, whatever an incomplete deletion of an earlier connector
   * left.
   */
  async putConnector(
    name: string,
    config: ConfigMap,
    targetState: TargetState | null,
    signal?: AbortSignal,
  ): Promise<void> {
    const state = targetState ?? (this.#desired.hasOrphanedTargetState(name) ? 'STARTED' : null)
    const connector = { key: `connector-${name}`, value: JSON.stringify({ properties: config }) }
    await this.#write(state === null ? [connector] : [targetStateRecord(name, state), connector], signal)
  }

  /** Stores a target state. STOPPED also removes the tasks. */
  async putTargetState(name: string, state: TargetState, signal?: AbortSignal): Promise<void> {
    const target = targetStateRecord(name, state)
    await this.#write(state === 'STOPPED' ? [commitRecord(name, 0), target] : [target], signal)
  }

  async removeConnector(name: string, signal?: AbortSignal): Promise<void> {
    const records = [
      { key: `connector-${name}`, value: null },
      { key: `target-state-${name}`, value: null },
    ]
    await this.#write(records, signal)
  }

  /** Stores a complete set of task configurations. */
  async putTaskConfigs(name: string, configs: readonly ConfigMap[], signal?: AbortSignal): Promise<void> {
    const tasks = configs.map((properties, task) => ({
      key: `task-${name}-${task}`,
      value: JSON.stringify({ properties }),
    }))
    await this.#write([...tasks, commitRecord(name, configs.length)], signal)
  }

  /** @returns the number of tasks of the last task-count record; null without one */
  taskCountRecord(name: string): number | null {
    return this.#desired.taskCountRecord(name)
  }

  isPendingFencing(name: string): boolean {
    return this.#desired.isPendingFencing(name)
  }

  /** Stores that the producers of the tasks before the current set are fenced (KIP-618). */
  async putTaskCount(name: string, count: number, signal?: AbortSignal): Promise<void> {
    await this.#write([{ key: `tasks-fencing-${name}`, value: JSON.stringify({ 'task-count': count }) }], signal)
  }

  /** Requests a restart from the workers that run now. */
  async putRestartRequest(request: RestartRequest, signal?: AbortSignal): Promise<void> {
    const { connector, includeTasks, onlyFailed } = request
    const value = JSON.stringify({ 'include-tasks': includeTasks, 'only-failed': onlyFailed })
    await this.#write([{ key: `restart-connector-${connector}`, value }], signal)
  }

  /** Sets the level of a logger on the workers that run now. */
  async putLoggerLevel(name: string, level: LogLevelName, signal?: AbortSignal): Promise<void> {
    await this.#write([{ key: `logger-cluster-${name}`, value: JSON.stringify({ level }) }], signal)
  }

  async #write(records: readonly TextRecord[], signal: AbortSignal | undefined): Promise<void> {
    await this.#log.write(records, signal)
    await this.#log.readToEnd(signal)
  }

  /** Applies a record of the config topic. An unreadable record is logged and skipped; it never fails the worker. */
  apply(record: LogRecord): void {
    const change = this.#desired.apply(record)
    this.#offset = record.offset + 1n
    if (change.tag === 'connector' || change.tag === 'tasks') this.#noteWork(change.connector)
    if (change.tag === 'unreadable') {
      this.#logger.error('Skipping a record of the config topic that is not understood', {
        key: record.key?.toString() ?? '',
        offset: String(record.offset),
      })
    } else if (change.tag !== 'none') {
      this.#onChange(change)
    }
  }

  #noteWork(name: string): void {
    const desired = this.#desired.get(name)
    const count = desired === null ? NO_CONNECTOR : (desired.taskConfigs?.length ?? NO_TASKS)
    if ((this.#taskCounts.get(name) ?? NO_CONNECTOR) === count) return
    if (desired === null) this.#taskCounts.delete(name)
    else this.#taskCounts.set(name, count)
    this.#workChangedAt = this.#offset
  }
}

/** The number of tasks of a connector without task configurations, and of an unknown connector. */
const NO_TASKS = 0
const NO_CONNECTOR = -1

/** Two fields: workers before 3.5 know only `state`, and no STOPPED. */
function targetStateRecord(name: string, state: TargetState): TextRecord {
  const value = JSON.stringify({ state: state === 'STOPPED' ? 'PAUSED' : state, 'state.v2': state })
  return { key: `target-state-${name}`, value }
}

/** Puts the preceding task configurations into effect. */
function commitRecord(name: string, tasks: number): TextRecord {
  return { key: `commit-${name}`, value: JSON.stringify({ tasks }) }
}
