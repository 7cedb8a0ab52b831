import type { ConfigMap } from '@tributary/connect-api'
import type { LogRecord } from '@tributary/kafka'
import { parseLogLevel, type LogLevelName } from '@tributary/support'
import { SESSION_KEY_RECORD, sessionKeyOf, type SessionKey } from '../session-key/session-key.ts'
import { isJsonObject, parseJsonObject, type JsonObject } from './json-object.ts'
import { splitTaskId } from './task-id.ts'

export type TargetState = 'STARTED' | 'PAUSED' | 'STOPPED'

/** A connector as the config topic describes it. */
export interface DesiredConnector {
  readonly config: ConfigMap
  readonly targetState: TargetState
  /** The committed configurations of its tasks; null before the first commit, and while the last set is incomplete. */
  readonly taskConfigs: readonly ConfigMap[] | null
  /** Differs from that of an earlier connector of the same name, which was deleted. */
  readonly incarnation: number
}

/** A request to restart a connector, and its tasks if so requested (KIP-745). */
export interface RestartRequest {
  readonly connector: string
  /** Includes the tasks, not only the connector itself. */
  readonly includeTasks: boolean
  /** Restarts only what has failed. */
  readonly onlyFailed: boolean
}

/** What one record of the config topic changes. */
export type DesiredChange =
  /** The connector was stored, deleted or given another target state. */
  | { readonly tag: 'connector'; readonly connector: string }
  | { readonly tag: 'restart request'; readonly request: RestartRequest }
  /** A set of task configurations was committed. */
  | { readonly tag: 'tasks'; readonly connector: string }
  /** The level of a logger on all workers. */
  | { readonly tag: 'logger level'; readonly logger: string; readonly level: LogLevelName }
  /** The leader has stored another session key. */
  | { readonly tag: 'session key' }
  /** Nothing that a reconciler reacts to: a task configuration without its commit, or a record of another version. */
  | { readonly tag: 'none' }
  /** The record is not what Connect writes under its key. */
  | { readonly tag: 'unreadable' }

/**
 * What the records of the config topic add up to (Connect's KafkaConfigBackingStore, without the topic). Pure: the same
 * records in the same order always give the same state. The configurations of a task set take effect together, with
 * their commit record. Restart requests and logger levels are events: they change no state, only what `apply` returns.
 */
export class DesiredState {
  readonly #connectors = new Map<string, Connector>()
  /** Apart from the connectors, because the target state of a new connector (`initial_state`) precedes its record. */
  readonly #targetStates = new Map<string, TargetState>()
  readonly #uncommittedTasks = new Map<string, Map<number, ConfigMap>>()
  #incarnations = 0
  #sessionKey: SessionKey | null = null
  /** Kept when a connector is deleted: its producers may still run when it is created again. */
  readonly #taskCounts = new Map<string, number>()
  readonly #pendingFencing = new Set<string>()

  get names(): readonly string[] {
    return [...this.#connectors.keys()]
  }

  get(name: string): DesiredConnector | null {
    const connector = this.#connectors.get(name)
    if (connector === undefined) return null
    return { ...connector, targetState: this.#targetStates.get(name) ?? 'STARTED' }
  }

  /** Null until a leader has stored one. */
  get sessionKey(): SessionKey | null {
    return this.#sessionKey
  }

  /** Whether an incomplete deletion left the target state of a connector that no longer exists. */
  hasOrphanedTargetState(name: string): boolean {
    return this.#targetStates.has(name) && !this.#connectors.has(name)
  }

  /** The number of tasks in the last task-count record; null: no producer was ever allowed to start. */
  taskCountRecord(name: string): number | null {
    return this.#taskCounts.get(name) ?? null
  }

  /**
   * Whether a set of task configurations was stored after the last task-count record: its predecessors may still write.
   */
  isPendingFencing(name: string): boolean {
    return this.#pendingFencing.has(name)
  }

  apply({ key, value }: Pick<LogRecord, 'key' | 'value'>): DesiredChange {
    const id = key?.toString() ?? ''
    const prefix = PREFIXES.find((each) => id.startsWith(each))
    if (prefix === undefined && id !== SESSION_KEY_RECORD) return NONE
    const document = value === null ? null : parseJsonObject(value)
    if (prefix === undefined) return this.#applySessionKey(document)
    return document === undefined ? UNREADABLE : this.#applyDocument(prefix, id.slice(prefix.length), document)
  }

  #applyDocument(prefix: (typeof PREFIXES)[number], rest: string, document: JsonObject | null): DesiredChange {
    switch (prefix) {
      case 'target-state-':
        return this.#applyTargetState(rest, document)
      case 'connector-':
        return this.#applyConnector(rest, document)
      case 'task-':
        return this.#applyTask(rest, document)
      case 'commit-':
        return this.#applyCommit(rest, document)
      case 'tasks-fencing-':
        return this.#applyTaskCount(rest, document)
      case 'restart-connector-':
        return restartRequest(rest, document)
      case 'logger-cluster-':
        return loggerLevel(rest, document)
    }
  }

  /** As in Kafka Connect, neither a tombstone nor an unreadable record replaces the last key. */
  #applySessionKey(document: JsonObject | null | undefined): DesiredChange {
    if (document === null) return NONE
    const sessionKey = document === undefined ? null : sessionKeyOf(document)
    if (sessionKey === null) return UNREADABLE
    this.#sessionKey = sessionKey
    return { tag: 'session key' }
  }

  #applyTargetState(name: string, document: JsonObject | null): DesiredChange {
    const state = document?.['state.v2'] ?? document?.['state']
    if (document === null) this.#targetStates.delete(name)
    else if (isTargetState(state)) this.#targetStates.set(name, state)
    else return UNREADABLE
    return this.#connectors.has(name) ? { tag: 'connector', connector: name } : NONE
  }

  #applyConnector(name: string, document: JsonObject | null): DesiredChange {
    if (document === null) {
      this.#uncommittedTasks.delete(name)
      return this.#connectors.delete(name) ? { tag: 'connector', connector: name } : NONE
    }
    const config = stringMap(document['properties'])
    if (config === null) return UNREADABLE
    const earlier = this.#connectors.get(name) ?? { taskConfigs: null, incarnation: ++this.#incarnations }
    this.#connectors.set(name, { ...earlier, config })
    return { tag: 'connector', connector: name }
  }

  #applyTask(id: string, document: JsonObject | null): DesiredChange {
    // Connect never deletes a task configuration: the commit of a smaller set removes tasks.
    if (document === null) return NONE
    const task = splitTaskId(id)
    const config = stringMap(document['properties'])
    if (task === null || config === null) return UNREADABLE
    const uncommitted = this.#uncommittedTasks.get(task.connector) ?? new Map<number, ConfigMap>()
    this.#uncommittedTasks.set(task.connector, uncommitted.set(task.task, config))
    return NONE
  }

  #applyCommit(name: string, document: JsonObject | null): DesiredChange {
    const count = document?.['tasks']
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > TASKS_MAX) return UNREADABLE
    const uncommitted = this.#uncommittedTasks.get(name)
    this.#uncommittedTasks.delete(name)
    const connector = this.#connectors.get(name)
    if (connector === undefined) return NONE
    const configs = Array.from({ length: count }, (_, task) => uncommitted?.get(task) ?? connector.taskConfigs?.[task])
    const isComplete = configs.every((config) => config !== undefined)
    this.#connectors.set(name, { ...connector, taskConfigs: isComplete ? configs : null })
    if (isComplete) this.#pendingFencing.add(name)
    return { tag: 'tasks', connector: name }
  }

  #applyTaskCount(name: string, document: JsonObject | null): DesiredChange {
    // Connect never deletes a task-count record.
    if (document === null) return NONE
    const count = document['task-count']
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > TASKS_MAX) return UNREADABLE
    this.#taskCounts.set(name, count)
    this.#pendingFencing.delete(name)
    return NONE
  }
}

function restartRequest(connector: string, document: JsonObject | null): DesiredChange {
  if (document === null) return NONE
  const { 'include-tasks': includeTasks, 'only-failed': onlyFailed } = document
  if (typeof includeTasks !== 'boolean' || typeof onlyFailed !== 'boolean') return UNREADABLE
  return { tag: 'restart request', request: { connector, includeTasks, onlyFailed } }
}

function loggerLevel(logger: string, document: JsonObject | null): DesiredChange {
  // Connect never deletes a logger level.
  if (document === null) return NONE
  const text = document['level']
  const level = typeof text === 'string' ? parseLogLevel(text) : null
  return level === null ? UNREADABLE : { tag: 'logger level', logger, level }
}

type Connector = Omit<DesiredConnector, 'targetState'>

const NONE: DesiredChange = { tag: 'none' }
const UNREADABLE: DesiredChange = { tag: 'unreadable' }

/** No connector has more. A commit record with a larger number is damaged, and must not allocate memory. */
const TASKS_MAX = 100_000

/** In the order in which Connect compares them. */
const PREFIXES = [
  'target-state-',
  'connector-',
  'task-',
  'commit-',
  'restart-connector-',
  'tasks-fencing-',
  'logger-cluster-',
] as const

const TARGET_STATES: ReadonlySet<unknown> = new Set<TargetState>(['STARTED', 'PAUSED', 'STOPPED'])

function isTargetState(value: unknown): value is TargetState {
  return TARGET_STATES.has(value)
}

/** A Java map may contain null for a property that is not set. */
function stringMap(value: unknown): ConfigMap | null {
  if (!isJsonObject(value)) return null
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (each === null) return []
      return [[name, typeof each === 'string' ? each : JSON.stringify(each)]]
    }),
  )
}
