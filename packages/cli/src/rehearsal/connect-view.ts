import type { Kafka } from '@tributary/kafka'
import { rehearseErrors, StoredState } from '@tributary/rehearse'
import { cliErrors } from '../errors.ts'
import { connectorPath, readStatus } from '../connectors/connector-answers.ts'
import { RefusedError, type RestClient } from '../connectors/rest-client.ts'

type Config = Readonly<Record<string, string>>
type Offset = Readonly<Record<string, unknown>>
type Partition = Readonly<Record<string, string>>

/** What a rehearsal reads of a running Kafka Connect. */
export interface ConnectView {
  /** For messages. */
  readonly place: string
  /** With references to secrets. */
  config(connector: string, signal: AbortSignal): Promise<Config>
  /** @throws REHEARSE_NOT_RUNNING */
  checkRunning(connector: string): Promise<void>
  /** Null: there is none. */
  offset(connector: string, partition: Partition, signal: AbortSignal): Promise<Offset | null>
  /** Topics that the connector has written; null: unknown. */
  topics(connector: string): Promise<readonly string[] | null>
}

/** The REST interface of a worker. */
export class RestView implements ConnectView {
  readonly #client: RestClient
  /** Reads offsets where the worker has no request for them. */
  readonly #stored: { readonly state: StoredState; readonly topic: string } | null

  constructor(client: RestClient, stored: { readonly state: StoredState; readonly topic: string } | null) {
    this.#client = client
    this.#stored = stored
  }

  get place(): string {
    return this.#client.url
  }

  async config(connector: string): Promise<Config> {
    const answer = await this.#get(connector, '/config')
    if (answer === null) throw rehearseErrors.REHEARSE_UNKNOWN({ place: this.place, connector })
    // A worker returns texts; null for a property that was removed.
    const properties = isObject(answer) ? Object.entries(answer).filter(([, value]) => value !== null) : null
    if (!properties?.every((each): each is [string, string] => typeof each[1] === 'string')) {
      throw this.#foreign(connector, '/config', 'the configuration of a connector')
    }
    return Object.fromEntries(properties)
  }

  async checkRunning(connector: string): Promise<void> {
    const found = await readStatus(this.#client, connector)
    if (found === null) throw rehearseErrors.REHEARSE_UNKNOWN({ place: this.place, connector })
    const { connector: own, tasks } = found.status
    const states = [own, ...tasks]
    if (!states.every((each: unknown) => isObject(each) && typeof each['state'] === 'string')) {
      throw this.#foreign(connector, '/status', 'the status of a connector')
    }
    const other = states.find(({ state }) => state !== 'RUNNING')
    if (other === undefined && tasks.length > 0) return
    const trace = other?.trace === undefined ? '' : `: ${other.trace.split('\n')[0] ?? ''}`
    throw rehearseErrors.REHEARSE_NOT_RUNNING({ connector, state: other?.state ?? 'without a task', trace })
  }

  async offset(connector: string, partition: Partition, signal: AbortSignal): Promise<Offset | null> {
    if (this.#stored !== null) {
      return this.#stored.state.offset(this.#stored.topic, connector, partition, signal)
    }
    let answer: unknown
    try {
      answer = (await this.#client.request('GET', connectorPath(connector, '/offsets'))).json
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      const reason = `${error.message} (${error.status})`
      throw rehearseErrors.REHEARSE_OFFSETS_UNREADABLE({ place: this.place, reason }, error)
    }
    const offsets = isObject(answer) ? (answer['offsets'] ?? []) : null
    const found: readonly unknown[] | null = Array.isArray(offsets) ? offsets : null
    const entries = found?.filter(isEntry) ?? []
    if (entries.length !== found?.length) throw this.#foreign(connector, '/offsets', 'a list of offsets')
    return entries.find((each) => each.partition['server'] === partition['server'])?.offset ?? null
  }

  /** The release of the worker; null: the worker does not report it. */
  async version(): Promise<string | null> {
    const { json } = await this.#client.request('GET', '/')
    const version = isObject(json) ? json['version'] : null
    return typeof version === 'string' ? version : null
  }

  /** The worker may not record topics (topic.tracking.enable). */
  async topics(connector: string): Promise<readonly string[] | null> {
    const answer = await this.#get(connector, '/topics').catch((error: unknown) => {
      if (error instanceof RefusedError) return null
      throw error
    })
    if (answer === null) return null
    const own = isObject(answer) ? answer[connector] : null
    const topics: unknown = isObject(own) ? own['topics'] : null
    if (!Array.isArray(topics) || !topics.every((each: unknown) => typeof each === 'string')) {
      throw this.#foreign(connector, '/topics', 'a list of topics')
    }
    return topics
  }

  #foreign(connector: string, path: string, what: string): Error {
    const reason = `its JSON is not ${what} (GET ${connectorPath(connector, path)})`
    return cliErrors.SERVICE_FOREIGN({ url: this.place, reason })
  }

  /** Null: not found. */
  async #get(connector: string, rest: string): Promise<unknown> {
    try {
      return (await this.#client.request('GET', connectorPath(connector, rest))).json
    } catch (error) {
      if (error instanceof RefusedError && error.status === 404) return null
      throw error
    }
  }
}

/** The internal topics of a worker group whose REST interface cannot be reached. */
export class TopicView implements ConnectView {
  readonly #state: StoredState
  readonly #configTopic: string
  readonly #offsetTopic: string

  constructor(kafka: Kafka, servers: string, topics: { readonly config: string; readonly offset: string }) {
    this.#state = new StoredState(kafka, servers)
    this.#configTopic = topics.config
    this.#offsetTopic = topics.offset
  }

  get place(): string {
    return `topic ${this.#configTopic}`
  }

  async config(connector: string, signal: AbortSignal): Promise<Config> {
    const config = await this.#state.config(this.#configTopic, connector, signal)
    if (config === null) throw rehearseErrors.REHEARSE_UNKNOWN({ place: this.place, connector })
    return config
  }

  /** Topics show the wanted state only. A connector that does not run writes nothing, which the comparison finds. */
  checkRunning(): Promise<void> {
    return Promise.resolve()
  }

  offset(connector: string, partition: Partition, signal: AbortSignal): Promise<Offset | null> {
    return this.#state.offset(this.#offsetTopic, connector, partition, signal)
  }

  topics(): Promise<null> {
    return Promise.resolve(null)
  }
}

interface Entry {
  readonly partition: Offset
  /** Null: the offset was removed. */
  readonly offset: Offset | null
}

function isEntry(value: unknown): value is Entry {
  return isObject(value) && isObject(value['partition']) && (value['offset'] === null || isObject(value['offset']))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
