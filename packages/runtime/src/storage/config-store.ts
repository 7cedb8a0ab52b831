import type { ConfigMap } from '@tributary/connect-api'
import type { LogRecord } from '@tributary/kafka'
import { parseLogLevel, type Logger, type LogLevelName } from '@tributary/support'
import { isJsonObject, parseJsonObject, type JsonObject } from './json-object.ts'
import { splitTaskId } from './task-id.ts'
import type { TextRecord } from './topic-writer.ts'

export type TargetState = 'STARTED' | 'PAUSED' | 'STOPPED'

/** What is stored about a connector. */
export interface StoredConnector {
  readonly config: ConfigMap
  readonly targetState: TargetState
  /** Committed configurations of its tasks; null until a set was committed, or while the last set is incomplete. */
  readonly taskConfigs: readonly ConfigMap[] | null
}

/** Where configurations are written: the config topic, or memory in tests. */
export interface ConfigLog {
  /** Stores the records together; resolves when they are safe. */
  write(records: readonly TextRecord[], signal?: AbortSignal): Promise<void>
  /** Resolves when all that was stored when called has been applied. */
  readToEnd(signal?: AbortSignal): Promise<void>
}

/**
 * The connectors of the group and their tasks' configurations (Connect's KafkaConfigBackingStore): what the records of the
 * config topic add up to. Records are applied in order; those of one task set take effect together, with their commit record.
 *
 * A write has taken effect when its method resolves. One that is given up by its signal may take effect later: whoever acts on
 * configurations listens for changes instead of relying on what it has written.
 */
export class ConfigStore {
  readonly #connectors = new Map<string, Connector>()
  /** Target states may come before their connector: that is how `initial_state` is written. */
  readonly #targetStates = new Map<string, TargetState>()
  readonly #deferredTasks = new Map<string, Map<number, ConfigMap>>()
  readonly #log: ConfigLog
  readonly #logger: Logger
  #onChange: (name: string) => void = () => undefined
  #onLoggerLevel: (name: string, level: LogLevelName) => void = () => undefined

  constructor(log: ConfigLog, logger: Logger) {
    this.#log = log
    this.#logger = logger
  }

  /** Calls back when a connector was stored, removed or given another target state. Called while applying: it only takes note. */
  listen(onChange: (name: string) => void): void {
    this.#onChange = onChange
  }

  /** Calls back when the level of a logger was set for all workers. */
  listenToLoggers(onLevel: (name: string, level: LogLevelName) => void): void {
    this.#onLoggerLevel = onLevel
  }

  get names(): readonly string[] {
    return [...this.#connectors.keys()]
  }

  get(name: string): StoredConnector | null {
    const connector = this.#connectors.get(name)
    if (connector === undefined) return null
    return { ...connector, targetState: this.#targetStates.get(name) ?? 'STARTED' }
  }

  /**
   * Stores a connector. Its target state goes first, so that no reader sees the connector without it. When none is given, a
   * connector that is there keeps its own; for a new one, what an incomplete deletion has left behind of an earlier connector of
   * that name does not count.
   */
  async putConnector(
    name: string,
    config: ConfigMap,
    targetState: TargetState | null,
    signal?: AbortSignal,
  ): Promise<void> {
    const isLeftBehind = this.#targetStates.has(name) && !this.#connectors.has(name)
    const state = targetState ?? (isLeftBehind ? 'STARTED' : null)
    const connector = { key: `connector-${name}`, value: JSON.stringify({ properties: config }) }
    await this.#write(state === null ? [connector] : [targetStateRecord(name, state), connector], signal)
  }

  /** What a connector is to do. To stop it takes its tasks away, too. */
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

  /** The level of a logger for all workers that run now. */
  async putLoggerLevel(name: string, level: LogLevelName, signal?: AbortSignal): Promise<void> {
    await this.#write([{ key: `${LOGGER_PREFIX}${name}`, value: JSON.stringify({ level }) }], signal)
  }

  async #write(records: readonly TextRecord[], signal: AbortSignal | undefined): Promise<void> {
    await this.#log.write(records, signal)
    await this.#log.readToEnd(signal)
  }

  /** A record of the config topic. Unknown keys belong to other versions; what cannot be read is skipped, never fatal. */
  apply({ key, value, offset }: LogRecord): void {
    const id = key?.toString() ?? ''
    const kind = KINDS.find((prefix) => id.startsWith(prefix))
    if (kind === undefined) return
    const document = value === null ? null : parseJsonObject(value)
    if (document !== undefined && this.#applyKnown(kind, id.slice(kind.length), document)) return
    this.#logger.error('Skipping a record of the config topic that is not understood', {
      key: id,
      offset: String(offset),
    })
  }

  /** False: it is not what Connect writes under such a key. */
  #applyKnown(kind: (typeof KINDS)[number], rest: string, document: JsonObject | null): boolean {
    switch (kind) {
      case 'target-state-':
        return this.#applyTargetState(rest, document)
      case 'connector-':
        return this.#applyConnector(rest, document)
      case 'task-':
        return this.#applyTask(rest, document)
      case 'commit-':
        return this.#applyCommit(rest, document)
      case LOGGER_PREFIX:
        return this.#applyLogger(rest, document)
    }
  }

  #applyTargetState(name: string, document: JsonObject | null): boolean {
    const state = document?.['state.v2'] ?? document?.['state']
    if (document === null) this.#targetStates.delete(name)
    else if (isTargetState(state)) this.#targetStates.set(name, state)
    else return false
    if (this.#connectors.has(name)) this.#onChange(name)
    return true
  }

  #applyConnector(name: string, document: JsonObject | null): boolean {
    if (document === null) {
      this.#deferredTasks.delete(name)
      if (this.#connectors.delete(name)) this.#onChange(name)
      return true
    }
    const config = stringMap(document['properties'])
    if (config === null) return false
    this.#connectors.set(name, { config, taskConfigs: this.#connectors.get(name)?.taskConfigs ?? null })
    this.#onChange(name)
    return true
  }

  #applyLogger(name: string, document: JsonObject | null): boolean {
    // Connect never takes one away.
    if (document === null) return true
    const text = document['level']
    const level = typeof text === 'string' ? parseLogLevel(text) : null
    if (level === null) return false
    this.#onLoggerLevel(name, level)
    return true
  }

  #applyTask(id: string, document: JsonObject | null): boolean {
    // Connect never writes one: tasks end with the commit of a smaller set.
    if (document === null) return true
    const task = splitTaskId(id)
    const config = stringMap(document['properties'])
    if (task === null || config === null) return false
    const deferred = this.#deferredTasks.get(task.connector) ?? new Map<number, ConfigMap>()
    this.#deferredTasks.set(task.connector, deferred.set(task.task, config))
    return true
  }

  #applyCommit(name: string, document: JsonObject | null): boolean {
    const count = document?.['tasks']
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > TASKS_MAX) return false
    const deferred = this.#deferredTasks.get(name)
    this.#deferredTasks.delete(name)
    const connector = this.#connectors.get(name)
    if (connector === undefined) return true
    const configs = Array.from({ length: count }, (_, task) => deferred?.get(task) ?? connector.taskConfigs?.[task])
    const isComplete = configs.every((config) => config !== undefined)
    this.#connectors.set(name, { ...connector, taskConfigs: isComplete ? configs : null })
    return true
  }
}

interface Connector {
  readonly config: ConfigMap
  readonly taskConfigs: readonly ConfigMap[] | null
}

/** No connector has more; a commit record that says so is damaged, and must not make us fill memory. */
const TASKS_MAX = 100_000

const LOGGER_PREFIX = 'logger-cluster-'

/** In the order in which Connect looks. */
const KINDS = ['target-state-', 'connector-', 'task-', 'commit-', LOGGER_PREFIX] as const

const TARGET_STATES: ReadonlySet<unknown> = new Set<TargetState>(['STARTED', 'PAUSED', 'STOPPED'])

function isTargetState(value: unknown): value is TargetState {
  return TARGET_STATES.has(value)
}

/** Two fields: workers before 3.5 know only `state` and no STOPPED. */
function targetStateRecord(name: string, state: TargetState): TextRecord {
  const value = JSON.stringify({ state: state === 'STOPPED' ? 'PAUSED' : state, 'state.v2': state })
  return { key: `target-state-${name}`, value }
}

/** Makes the task configurations before it count. */
function commitRecord(name: string, tasks: number): TextRecord {
  return { key: `commit-${name}`, value: JSON.stringify({ tasks }) }
}

/** Java's maps may hold null for a property that is not set. */
function stringMap(value: unknown): ConfigMap | null {
  if (!isJsonObject(value)) return null
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (each === null) return []
      return [[name, typeof each === 'string' ? each : JSON.stringify(each)]]
    }),
  )
}
