import type { LogRecord } from '@tributary/kafka'
import type { ConnectorState, TaskState } from '@tributary/rest-api'
import { CodedError, StoppedError, toError, type Logger } from '@tributary/support'
import { isJsonObject, parseJsonObject, type JsonObject } from './json-object.ts'
import { splitTaskId, taskId } from './task-id.ts'
import type { TextRecord } from './topic-writer.ts'

/** A status record (the value of `status-connector-…` and `status-task-…`), with the fields in the order of writing. */
export interface StatusRecord<S> {
  readonly state: S
  readonly trace: string | null
  readonly worker_id: string
  readonly generation: number
  readonly version: string | null
}

/** Where statuses are written: the status topic, or memory in tests. */
export interface StatusLog {
  write(records: readonly TextRecord[]): Promise<void>
}

/** Is notified of records of other workers. */
export interface StatusListener {
  /** Another worker has given up a connector or a task. */
  onReleased(): void
  /**
   * The last status of a connector (`task` null) or task in the topic is not of this worker: another one has written it,
   * or an earlier process of this one.
   */
  onForeignStatus(connector: string, task: number | null): void
  /** Another worker has reset the topics of a connector. */
  onTopicForgotten(connector: string): void
}

/**
 * The last known status of each connector and task, and the topics each has written to (Connect's
 * KafkaStatusBackingStore).
 *
 * This worker's own writes are visible at once, also while the brokers are unreachable, and are stored in the
 * background: connectors and tasks do not wait for their statuses. Records of all workers arrive through `apply`, this
 * worker's own late. A record is ignored there while a later write of this worker to the same key has not been read
 * back. When that write is dropped, because another worker may have taken over, the record counts again.
 */
export class StatusStore {
  readonly #connectors = new Map<string, StatusRecord<ConnectorState>>()
  readonly #tasks = new Map<string, Map<number, StatusRecord<TaskState>>>()
  readonly #topics = new Map<string, Set<string>>()
  readonly #log: StatusLog
  readonly #logger: Logger
  /** Values that this worker has written and not read back, by key, oldest first. */
  readonly #unread = new Map<string, (string | null)[]>()
  /** The last value of each key that was read from the topic. */
  readonly #stored = new Map<string, string>()
  readonly #writing = new Set<Promise<void>>()
  #listener: StatusListener = NO_LISTENER

  constructor(log: StatusLog, logger: Logger) {
    this.#log = log
    this.#logger = logger
  }

  /** Calls back while records of other workers are applied: the listener must not wait. */
  listen(listener: StatusListener): void {
    this.#listener = listener
  }

  /** Connectors with any status or topic. */
  get names(): readonly string[] {
    return [...new Set([...this.#connectors.keys(), ...this.#tasks.keys(), ...this.#topics.keys()])]
  }

  connector(name: string): StatusRecord<ConnectorState> | null {
    return this.#connectors.get(name) ?? null
  }

  /** Statuses of the connector's tasks by number, ascending. */
  tasks(name: string): readonly (readonly [number, StatusRecord<TaskState>])[] {
    return [...(this.#tasks.get(name) ?? [])].sort(([a], [b]) => a - b)
  }

  putConnector(name: string, status: StatusRecord<ConnectorState>): void {
    this.#write(connectorKey(name), JSON.stringify(status))
  }

  putTask(name: string, task: number, status: StatusRecord<TaskState>): void {
    this.#write(taskKey(name, task), JSON.stringify(status))
  }

  /** Records a topic that the connector has written to (KIP-558), once. `discoverTimestamp`: ms since 1970. */
  putTopic(name: string, task: number, topic: string, discoverTimestamp: number): void {
    if (this.#topics.get(name)?.has(topic) === true) return
    const value = { topic: { name: topic, connector: name, task, discoverTimestamp } }
    this.#write(topicKey(name, topic), JSON.stringify(value))
  }

  /** Topics that the connector has written to, in the order of their records. */
  topics(name: string): readonly string[] {
    return [...(this.#topics.get(name) ?? [])]
  }

  removeTopics(name: string): void {
    for (const topic of this.topics(name)) this.#write(topicKey(name, topic), null)
  }

  /** Removes everything about a connector. */
  remove(name: string): void {
    if (this.#connectors.has(name)) this.#write(connectorKey(name), null)
    for (const [task] of this.tasks(name)) this.removeTask(name, task)
    this.removeTopics(name)
  }

  removeTask(name: string, task: number): void {
    this.#write(taskKey(name, task), null)
  }

  /** Resolves when every write so far has succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing)
  }

  #write(key: string, value: string | null): void {
    this.#applyText(key, value)
    const unread = this.#unread.get(key) ?? []
    this.#unread.set(key, unread)
    unread.push(value)
    const writing = this.#store(key, value).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  /** A status that cannot be stored (too large, no permission) must not stop its connector or task. */
  async #store(key: string, value: string | null): Promise<void> {
    try {
      await this.#log.write([{ key, value }])
    } catch (thrown) {
      const error = toError(thrown)
      this.#forget(key, value)
      // The worker ends, or its writes were dropped: the reason is logged already.
      if (error instanceof StoppedError || (error instanceof CodedError && error.code === 'PRODUCER_CLOSED')) {
        if (!this.#unread.has(key)) this.#applyText(key, this.#stored.get(key) ?? null)
        return
      }
      this.#logger.error(`Failed to write status update: ${key} stays in memory only`, { error })
    }
  }

  /** The value will not be read back. */
  #forget(key: string, value: string | null): void {
    const unread = this.#unread.get(key) ?? []
    const at = unread.lastIndexOf(value)
    if (at >= 0) unread.splice(at, 1)
    if (unread.length === 0) this.#unread.delete(key)
  }

  /** Whether a later write of this worker, not read back yet, replaces the record. */
  #isOverwritten(key: string, value: string | null): boolean {
    const unread = this.#unread.get(key)
    if (unread === undefined) return false
    // Compaction may have removed earlier records of this worker.
    const at = unread.indexOf(value)
    if (at >= 0) unread.splice(0, at + 1)
    if (unread.length === 0) this.#unread.delete(key)
    return true
  }

  /**
   * Applies a record of the status topic. Skips an unreadable one: the worker that runs the task rewrites its status.
   */
  apply({ key, value, offset }: LogRecord): void {
    const id = key?.toString() ?? ''
    const text = value?.toString() ?? null
    if (text === null) this.#stored.delete(id)
    else this.#stored.set(id, text)
    if (this.#isOverwritten(id, text)) return
    if (this.#isOutdated(id, text)) return this.#reportForeign(id)
    if (this.#applyText(id, text)) return this.#report(id, text)
    this.#logger.warn('Skipping a record of the status topic that is not understood', {
      key: id,
      offset: String(offset),
    })
  }

  #reportForeign(key: string): void {
    if (key.startsWith(CONNECTOR)) this.#listener.onForeignStatus(key.slice(CONNECTOR.length), null)
    const id = key.startsWith(TASK) ? splitTaskId(key.slice(TASK.length)) : null
    if (id !== null) this.#listener.onForeignStatus(id.connector, id.task)
  }

  #report(key: string, text: string | null): void {
    this.#reportForeign(key)
    if (this.#statusOf(key)?.state === 'UNASSIGNED') this.#listener.onReleased()
    const topic = text === null ? topicOf(key) : null
    if (topic !== null) this.#listener.onTopicForgotten(topic.connector)
  }

  /**
   * Whether a worker has written UNASSIGNED too late: another one has started the connector or task meanwhile (as in
   * Kafka Connect).
   */
  #isOutdated(key: string, text: string | null): boolean {
    const document = text === null ? null : parseJsonObject(Buffer.from(text))
    if (document?.['state'] !== 'UNASSIGNED') return false
    const { generation, worker_id: workerId } = document
    const current = this.#statusOf(key)
    if (current?.state !== 'RUNNING' || typeof generation !== 'number') return false
    return current.worker_id !== workerId && current.generation >= generation
  }

  #statusOf(key: string): StatusRecord<ConnectorState> | null {
    if (key.startsWith(CONNECTOR)) return this.connector(key.slice(CONNECTOR.length))
    const id = key.startsWith(TASK) ? splitTaskId(key.slice(TASK.length)) : null
    return id === null ? null : (this.#tasks.get(id.connector)?.get(id.task) ?? null)
  }

  /** Returns false for a value that Connect does not write under such a key. Ignores keys of other kinds. */
  #applyText(key: string, text: string | null): boolean {
    const document = text === null ? null : parseJsonObject(Buffer.from(text))
    if (document === undefined) return false
    if (key.startsWith(CONNECTOR)) return this.#applyConnector(key.slice(CONNECTOR.length), document)
    if (key.startsWith(TASK)) return this.#applyTask(key.slice(TASK.length), document)
    if (key.startsWith(TOPIC)) return this.#applyTopic(key.slice(TOPIC.length), document)
    return true
  }

  #applyConnector(name: string, document: JsonObject | null): boolean {
    const status = document === null ? null : statusOf(document, CONNECTOR_STATES)
    if (status === undefined) return false
    if (status === null) this.#connectors.delete(name)
    else this.#connectors.set(name, status)
    return true
  }

  #applyTask(id: string, document: JsonObject | null): boolean {
    const parts = splitTaskId(id)
    const status = document === null ? null : statusOf(document, TASK_STATES)
    if (parts === null || status === undefined) return false
    const { connector, task } = parts
    const tasks = this.#tasks.get(connector) ?? new Map<number, StatusRecord<TaskState>>()
    if (status === null) tasks.delete(task)
    else tasks.set(task, status)
    if (tasks.size === 0) this.#tasks.delete(connector)
    else this.#tasks.set(connector, tasks)
    return true
  }

  #applyTopic(id: string, document: JsonObject | null): boolean {
    const found = topicOf(TOPIC + id)
    if (found === null) return false
    const { topic, connector } = found
    if (document !== null && !isJsonObject(document['topic'])) return false
    const topics = this.#topics.get(connector) ?? new Set()
    if (document === null) topics.delete(topic)
    else topics.add(topic)
    if (topics.size === 0) this.#topics.delete(connector)
    else this.#topics.set(connector, topics)
    return true
  }
}

const NO_LISTENER: StatusListener = {
  onReleased: () => undefined,
  onForeignStatus: () => undefined,
  onTopicForgotten: () => undefined,
}

const CONNECTOR = 'status-connector-'
const TASK = 'status-task-'
const TOPIC = 'status-topic-'

/** A topic name has no colon; a connector name may have one. */
function topicOf(key: string): { readonly topic: string; readonly connector: string } | null {
  const [, topic, connector] = /^status-topic-([^:]+):connector-(.+)$/s.exec(key) ?? []
  return topic === undefined || connector === undefined ? null : { topic, connector }
}

function connectorKey(name: string): string {
  return CONNECTOR + name
}

function taskKey(name: string, task: number): string {
  return TASK + taskId(name, task)
}

function topicKey(name: string, topic: string): string {
  return `${TOPIC}${topic}:connector-${name}`
}

const TASK_STATES: readonly TaskState[] = ['UNASSIGNED', 'RUNNING', 'PAUSED', 'FAILED', 'RESTARTING']
const CONNECTOR_STATES: readonly ConnectorState[] = [...TASK_STATES, 'STOPPED']

/** Returns undefined when the document is not a status. Workers before 4.1 write no version. */
function statusOf<S extends string>(document: JsonObject, states: readonly S[]): StatusRecord<S> | undefined {
  const { state: name, trace, worker_id: workerId, generation, version } = document
  const state = states.find((each) => each === name)
  if (state === undefined || typeof workerId !== 'string' || typeof generation !== 'number') return undefined
  return {
    state,
    trace: typeof trace === 'string' && trace !== '' ? trace : null,
    worker_id: workerId,
    generation,
    version: typeof version === 'string' ? version : null,
  }
}
