import type { LogRecord } from '@tributary/kafka'
import type { ConnectorState, TaskState } from '@tributary/rest-api'
import type { Logger } from '@tributary/support'

/** What a status record says (value of `status-connector-…` and `status-task-…`), with the fields in the order written. */
export interface StatusRecord<S> {
  readonly state: S
  readonly trace: string | null
  readonly worker_id: string
  readonly generation: number
  readonly version: string | null
}

/** Where statuses are written: the status topic, or memory in tests. */
export interface StatusLog {
  send(key: string, value: string | null): Promise<void>
}

/**
 * The last known status of each connector and task, and the topics each has written to (Connect's KafkaStatusBackingStore).
 * Our own writes are visible at once; what others wrote arrives through `apply`.
 */
export class StatusStore {
  readonly #connectors = new Map<string, StatusRecord<ConnectorState>>()
  readonly #tasks = new Map<string, Map<number, StatusRecord<TaskState>>>()
  readonly #topics = new Map<string, Set<string>>()
  readonly #log: StatusLog
  readonly #logger: Logger

  constructor(log: StatusLog, logger: Logger) {
    this.#log = log
    this.#logger = logger
  }

  connector(name: string): StatusRecord<ConnectorState> | null {
    return this.#connectors.get(name) ?? null
  }

  /** Statuses of the connector's tasks by number, ascending. */
  tasks(name: string): readonly (readonly [number, StatusRecord<TaskState>])[] {
    return [...(this.#tasks.get(name) ?? [])].sort(([a], [b]) => a - b)
  }

  putConnector(name: string, status: StatusRecord<ConnectorState>): Promise<void> {
    this.#connectors.set(name, status)
    return this.#write(`status-connector-${name}`, JSON.stringify(status))
  }

  putTask(name: string, task: number, status: StatusRecord<TaskState>): Promise<void> {
    this.#setTask(name, task, status)
    return this.#write(`status-task-${name}-${task}`, JSON.stringify(status))
  }

  /** A topic that the connector has written to (KIP-558); recorded once. */
  async putTopic(name: string, task: number, topic: string, discoverTimestamp: number): Promise<void> {
    const topics = this.#topics.get(name) ?? new Set()
    this.#topics.set(name, topics)
    if (topics.has(topic)) return
    topics.add(topic)
    const value = { topic: { name: topic, connector: name, task, discoverTimestamp } }
    await this.#write(`status-topic-${topic}:connector-${name}`, JSON.stringify(value))
  }

  /** Removes everything about a connector that is gone. */
  async remove(name: string): Promise<void> {
    const tasks = [...(this.#tasks.get(name)?.keys() ?? [])]
    const topics = [...(this.#topics.get(name) ?? [])]
    this.#connectors.delete(name)
    this.#tasks.delete(name)
    this.#topics.delete(name)
    await this.#write(`status-connector-${name}`, null)
    for (const task of tasks) await this.#write(`status-task-${name}-${task}`, null)
    for (const topic of topics) await this.#write(`status-topic-${topic}:connector-${name}`, null)
  }

  /** Removes the status of a task that is no more. */
  async removeTask(name: string, task: number): Promise<void> {
    this.#tasks.get(name)?.delete(task)
    await this.#write(`status-task-${name}-${task}`, null)
  }

  /** A status that cannot be written (too large, broker away) must not stop what it describes. */
  async #write(key: string, value: string | null): Promise<void> {
    try {
      await this.#log.send(key, value)
    } catch (error) {
      this.#logger.error('Failed to write status update', { key, error })
    }
  }

  #setTask(name: string, task: number, status: StatusRecord<TaskState>): void {
    const tasks = this.#tasks.get(name) ?? new Map<number, StatusRecord<TaskState>>()
    this.#tasks.set(name, tasks.set(task, status))
  }

  /** A record of the status topic. What cannot be read is skipped: statuses are rewritten by whoever runs the task. */
  apply({ key, value }: LogRecord): void {
    const id = key?.toString() ?? ''
    const document = value === null ? null : parseObject(value)
    if (value !== null && document === null) {
      this.#logger.warn('Skipping a record of the status topic that is not a JSON object', { key: id })
      return
    }
    if (id.startsWith('status-connector-')) this.#applyConnector(id.slice('status-connector-'.length), document)
    else if (id.startsWith('status-task-')) this.#applyTask(id.slice('status-task-'.length), document)
    else if (id.startsWith('status-topic-')) this.#applyTopic(id.slice('status-topic-'.length), document)
  }

  #applyConnector(name: string, document: Record<string, unknown> | null): void {
    if (document === null) this.#connectors.delete(name)
    else this.#connectors.set(name, statusOf<ConnectorState>(document))
  }

  #applyTask(id: string, document: Record<string, unknown> | null): void {
    const dash = id.lastIndexOf('-')
    const name = id.slice(0, dash)
    const task = Number(id.slice(dash + 1))
    if (document === null) this.#tasks.get(name)?.delete(task)
    else this.#setTask(name, task, statusOf<TaskState>(document))
  }

  #applyTopic(id: string, document: Record<string, unknown> | null): void {
    const split = id.indexOf(':connector-')
    const topic = id.slice(0, split)
    const name = id.slice(split + ':connector-'.length)
    const topics = this.#topics.get(name) ?? new Set()
    if (document === null) topics.delete(topic)
    else this.#topics.set(name, topics.add(topic))
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(bytes.toString())
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function statusOf<S extends string>(document: Record<string, unknown>): StatusRecord<S> {
  const { state, trace, worker_id: workerId, generation, version } = document
  return {
    state: (typeof state === 'string' ? state : 'UNASSIGNED') as S,
    trace: typeof trace === 'string' && trace !== '' ? trace : null,
    worker_id: typeof workerId === 'string' ? workerId : '',
    generation: typeof generation === 'number' ? generation : 0,
    version: typeof version === 'string' ? version : null,
  }
}
