import type { ConfigMap } from '@tributary/connect-api'
import { eventScanLengths, type EventsMessage } from '@tributary/rest-api'
import { describeError } from '@tributary/support'
import { Worker as Thread } from 'node:worker_threads'
import type { EventsCommand, EventsReport } from './event-messages.ts'

/** What a page asks for. */
export interface EventsRequest {
  readonly connector: string
  readonly topic: string
  readonly scanLength: number
  readonly filter: string
}

/** Why a request is refused: a status of HTTP, and what to do. */
export interface EventsRefusal {
  readonly status: number
  readonly message: string
}

/** Where the messages come from: JSON texts of `EventsMessage`. */
export interface EventsSource {
  readonly start: () => string
  /** Begins to read. Calls `onMessage` until the returned function is called, which ends the reading. */
  readonly listen: (onMessage: (json: string) => void) => () => void
}

export interface EventReadersOptions {
  /** Entry file of the threads. */
  readonly threadUrl: URL
  /** With references. */
  readonly workerProperties: ConfigMap
  /** The internal topics of the worker, which have passwords. */
  readonly internalTopics: ReadonlySet<string>
  /** Of a connector; null: it does not exist. */
  readonly configOf: (connector: string) => ConfigMap | null
  /** Those that the connector has written to; null: the worker does not record them. */
  readonly topicsOf: (connector: string) => readonly string[] | null
}

/** Each is a thread with connections of its own, up to 60 MB. */
const READERS_MAX = 4
const FILTER_LENGTH_MAX = 1_000
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/**
 * Readers of topics for pages. Each reads in a thread of its own, so that neither large records nor a slow expression
 * of a filter delays the worker, and ends with the stream of its page.
 */
export class EventReaders implements AsyncDisposable {
  readonly #options: EventReadersOptions
  readonly #threads = new Set<Thread>()
  #readers = 0

  constructor(options: EventReadersOptions) {
    this.#options = options
  }

  /** A page may read only what its connector writes: the worker can read every topic of the cluster. */
  open(request: EventsRequest): EventsSource | EventsRefusal {
    const { connector, topic, scanLength, filter } = request
    const config = this.#options.configOf(connector)
    if (config === null) return refusal(404, `Connector ${connector} not found`)
    const topics = this.#options.topicsOf(connector)
    if (topics === null) {
      return refusal(
        403,
        'The worker does not record which topics a connector writes to (topic.tracking.enable=false), so the page may read none',
      )
    }
    if (!topics.includes(topic) || this.#options.internalTopics.has(topic)) {
      return refusal(404, `Connector ${connector} has not written to topic ${topic}`)
    }
    if (!eventScanLengths.some((each) => each === scanLength)) {
      return refusal(400, `The number of records is not one of ${eventScanLengths.join(', ')}`)
    }
    if (filter.length > FILTER_LENGTH_MAX) {
      return refusal(400, `The filter is longer than ${FILTER_LENGTH_MAX} characters`)
    }
    if (this.#readers >= READERS_MAX) {
      return refusal(503, `${READERS_MAX} pages read topics of this worker already: close one`)
    }
    return { start: () => text({ tag: 'start' }), listen: (onMessage) => this.#read(request, config, onMessage) }
  }

  #read(request: EventsRequest, config: ConfigMap, onMessage: (json: string) => void): () => void {
    const { connector: connectorName, topic, scanLength, filter } = request
    const { threadUrl, workerProperties } = this.#options
    const thread = new Thread(threadUrl, { name: 'events', resourceLimits: LIMITS })
    this.#threads.add(thread)
    this.#readers += 1
    thread.on('message', ({ tag, json }: EventsReport) => {
      // Others are reports of other work of such a thread.
      if (tag === 'events') onMessage(json)
    })
    thread.on('error', (error) => onMessage(text({ tag: 'end', error: describeError(error) })))
    thread.on('exit', () => this.#threads.delete(thread))
    const command: EventsCommand = {
      tag: 'view events',
      data: { connectorName, topic, scanLength, filter, config, workerProperties },
    }
    thread.postMessage(command)
    return () => {
      thread.removeAllListeners('message')
      this.#readers -= 1
      void thread.terminate()
    }
  }

  /** Ends all readers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()))
  }
}

function refusal(status: number, message: string): EventsRefusal {
  return { status, message }
}

function text(message: EventsMessage): string {
  return JSON.stringify(message)
}
