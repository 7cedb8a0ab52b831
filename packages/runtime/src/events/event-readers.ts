import type { ConfigMap } from '@tributary/connect-api'
import { eventScanLengths, type EventsMessage } from '@tributary/rest-api'
import { describeError } from '@tributary/support'
import { Worker as Thread } from 'node:worker_threads'
import type { EventsCommand, EventsReport } from './event-messages.ts'
import { isReadableTopic } from './readable-topic.ts'

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
  /**
   * Begins to read. Calls `onMessage` until the returned function is called, which ends the reading, and `onEnd` after
   * the last message.
   */
  readonly listen: (onMessage: (json: string) => void, onEnd: () => void) => () => void
}

export interface EventReadersOptions {
  /** Entry file of the threads. */
  readonly threadUrl: URL
  /** With references. */
  readonly workerProperties: ConfigMap
  /** The internal topics of the worker, which have passwords. */
  readonly internalTopics: ReadonlySet<string>
  /** `ui.events.topics` */
  readonly allowedTopics: readonly string[]
  /** Of a connector; null: it does not exist. */
  readonly configOf: (connector: string) => ConfigMap | null
  /** Those that the connector has written to; null: the worker does not record them. */
  readonly topicsOf: (connector: string) => readonly string[] | null
}

interface Listener {
  readonly onMessage: (json: string) => void
  readonly onEnd: () => void
}

/** Each is a thread with connections of its own, up to 60 MB. */
const READERS_MAX = 4
const FILTER_LENGTH_MAX = 1_000
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/**
 * Readers of topics for pages. Each reads in a thread of its own, so that large records do not delay the worker, and
 * ends with the stream of its page.
 */
export class EventReaders implements AsyncDisposable {
  readonly #options: EventReadersOptions
  /** Those that have not ended yet: each has its memory until then. */
  readonly #threads = new Set<Thread>()

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
    if (!isReadableTopic(topic, config, this.#options.allowedTopics)) {
      return refusal(
        403,
        `The page may not read topic ${topic}: its name does not begin with the topic.prefix of connector ${connector} and a dot. The setting ui.events.topics of the worker allows more`,
      )
    }
    if (!eventScanLengths.some((each) => each === scanLength)) {
      return refusal(400, `The number of records is not one of ${eventScanLengths.join(', ')}`)
    }
    if (filter.length > FILTER_LENGTH_MAX) {
      return refusal(400, `The filter is longer than ${FILTER_LENGTH_MAX} characters`)
    }
    if (this.#threads.size >= READERS_MAX) {
      return refusal(503, `${READERS_MAX} pages read topics of this worker already: close one`)
    }
    return {
      start: () => text({ tag: 'start' }),
      listen: (onMessage, onEnd) => this.#read(() => this.#start(request, config), { onMessage, onEnd }),
    }
  }

  #read(start: () => Thread, { onMessage, onEnd }: Listener): () => void {
    let isOver = false
    const end = (error: string | null): void => {
      if (isOver) return
      isOver = true
      if (error !== null) onMessage(text({ tag: 'end', error }))
      onEnd()
    }
    let thread: Thread
    try {
      thread = start()
    } catch (error) {
      end(`No reader of the topic can be started: ${describeError(error)}`)
      return () => undefined
    }
    thread.on('message', ({ tag, json, isEnd }: EventsReport) => {
      // Others are reports of other work of such a thread.
      if (tag !== 'events' || isOver) return
      onMessage(json)
      if (!isEnd) return
      end(null)
      void thread.terminate()
    })
    thread.on('error', (error) => end(describeError(error)))
    thread.on('exit', (code) => {
      this.#threads.delete(thread)
      end(`The reader of the topic has stopped unexpectedly (exit code ${code}). Open the view again.`)
    })
    return () => {
      isOver = true
      void thread.terminate()
    }
  }

  #start(request: EventsRequest, config: ConfigMap): Thread {
    const { connector: connectorName, topic, scanLength, filter } = request
    const { threadUrl, workerProperties } = this.#options
    const thread = new Thread(threadUrl, { name: 'events', resourceLimits: LIMITS })
    this.#threads.add(thread)
    const command: EventsCommand = {
      tag: 'view events',
      data: { connectorName, topic, scanLength, filter, config, workerProperties },
    }
    thread.postMessage(command)
    return thread
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
