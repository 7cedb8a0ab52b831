import type { ConfigMap } from '@tributary/connect-api'
import type { LogRecord } from '@tributary/kafka'
import type { Logger } from '@tributary/support'

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
  send(key: string, value: string | null): Promise<void>
  readToEnd(): Promise<void>
}

/**
 * The connectors of the group and their tasks' configurations (Connect's KafkaConfigBackingStore): what the records of the
 * config topic add up to. Records are applied in order; those of one task set take effect together, with their commit record.
 */
export class ConfigStore {
  readonly #connectors = new Map<string, MutableConnector>()
  /** Target states may come before their connector: that is how `initial_state` is written. */
  readonly #targetStates = new Map<string, TargetState>()
  readonly #deferredTasks = new Map<string, Map<number, ConfigMap>>()
  readonly #log: ConfigLog
  readonly #logger: Logger

  constructor(log: ConfigLog, logger: Logger) {
    this.#log = log
    this.#logger = logger
  }

  get names(): readonly string[] {
    return [...this.#connectors.keys()]
  }

  get(name: string): StoredConnector | null {
    const connector = this.#connectors.get(name)
    if (connector === undefined) return null
    return { ...connector, targetState: this.#targetStates.get(name) ?? 'STARTED' }
  }

  /** Stores a connector; an initial state goes first, so that no reader sees the connector without it. */
  async putConnector(name: string, config: ConfigMap, targetState: TargetState | null): Promise<void> {
    if (targetState !== null) await this.#log.send(`target-state-${name}`, targetStateJson(targetState))
    await this.#log.send(`connector-${name}`, JSON.stringify({ properties: config }))
    await this.#log.readToEnd()
  }

  async removeConnector(name: string): Promise<void> {
    await this.#log.send(`connector-${name}`, null)
    await this.#log.send(`target-state-${name}`, null)
    await this.#log.readToEnd()
  }

  async putTargetState(name: string, targetState: TargetState): Promise<void> {
    await this.#log.send(`target-state-${name}`, targetStateJson(targetState))
    await this.#log.readToEnd()
  }

  /** Stores a complete set of task configurations. */
  async putTaskConfigs(name: string, configs: readonly ConfigMap[]): Promise<void> {
    await this.#log.readToEnd()
    for (const [task, properties] of configs.entries()) {
      await this.#log.send(`task-${name}-${task}`, JSON.stringify({ properties }))
    }
    await this.#log.readToEnd()
    await this.#log.send(`commit-${name}`, JSON.stringify({ tasks: configs.length }))
    await this.#log.readToEnd()
  }

  /** A record of the config topic. Unknown keys belong to other versions; what cannot be read is skipped, never fatal. */
  apply({ key, value, offset }: LogRecord): void {
    const id = key?.toString() ?? ''
    const kind = KINDS.find((prefix) => id.startsWith(prefix))
    if (kind === undefined) return
    const document = value === null ? null : parseObject(value)
    if (document === undefined) {
      this.#logger.error('Skipping a record of the config topic that is not a JSON object', {
        key: id,
        offset: String(offset),
      })
      return
    }
    this.#applyKnown(kind, id.slice(kind.length), document)
  }

  #applyKnown(kind: (typeof KINDS)[number], rest: string, document: JsonObject | null): void {
    switch (kind) {
      case 'target-state-':
        this.#applyTargetState(rest, document)
        return
      case 'connector-':
        this.#applyConnector(rest, document)
        return
      case 'task-':
        this.#applyTask(rest, document)
        return
      case 'commit-':
        this.#applyCommit(rest, Number(document?.['tasks'] ?? 0))
    }
  }

  #applyTargetState(name: string, document: JsonObject | null): void {
    const state = document?.['state.v2'] ?? document?.['state']
    if (state === 'STARTED' || state === 'PAUSED' || state === 'STOPPED') this.#targetStates.set(name, state)
    else this.#targetStates.delete(name)
  }

  #applyConnector(name: string, document: JsonObject | null): void {
    if (document === null) {
      this.#connectors.delete(name)
      this.#deferredTasks.delete(name)
      return
    }
    const taskConfigs = this.#connectors.get(name)?.taskConfigs ?? null
    this.#connectors.set(name, { config: stringMap(document['properties']), taskConfigs })
  }

  #applyTask(id: string, document: JsonObject | null): void {
    const dash = id.lastIndexOf('-')
    const name = id.slice(0, dash)
    if (document === null || dash < 0) return
    const deferred = this.#deferredTasks.get(name) ?? new Map<number, ConfigMap>()
    this.#deferredTasks.set(name, deferred.set(Number(id.slice(dash + 1)), stringMap(document['properties'])))
  }

  #applyCommit(name: string, count: number): void {
    const connector = this.#connectors.get(name)
    const deferred = this.#deferredTasks.get(name)
    this.#deferredTasks.delete(name)
    if (connector === undefined) return
    const configs = Array.from({ length: count }, (_, task) => deferred?.get(task) ?? connector.taskConfigs?.[task])
    const isComplete = configs.every((config) => config !== undefined)
    connector.taskConfigs = isComplete ? configs : null
  }
}

interface MutableConnector {
  readonly config: ConfigMap
  taskConfigs: readonly ConfigMap[] | null
}

type JsonObject = Readonly<Record<string, unknown>>

/** In the order in which Connect looks: a connector may be called `x`, and `target-state-x` is not its task. */
const KINDS = ['target-state-', 'connector-', 'task-', 'commit-'] as const

/** Two fields: workers before 3.5 know only `state` and no STOPPED. */
function targetStateJson(state: TargetState): string {
  return JSON.stringify({ state: state === 'STOPPED' ? 'PAUSED' : state, 'state.v2': state })
}

function parseObject(bytes: Buffer): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(bytes.toString())
    return typeof parsed === 'object' && parsed !== null ? (parsed as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function stringMap(value: unknown): ConfigMap {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, typeof each === 'string' ? each : JSON.stringify(each)]),
  )
}
