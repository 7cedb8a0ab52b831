import type { ConnectorTopics } from '@tributary/rest-api'
import type { TopicTracking } from '../config/worker-config.ts'
import type { Storage } from '../storage/storage.ts'
import type { TaskRunner } from '../worker/task-runner.ts'
import { HerderError } from './herder-error.ts'

export interface TopicRequestsOptions {
  readonly storage: Storage
  readonly runner: TaskRunner
  readonly topicTracking: TopicTracking
}

/** Requests about the topics that connectors have written to (KIP-558). */
export class TopicRequests {
  readonly #options: TopicRequestsOptions

  constructor(options: TopicRequestsOptions) {
    this.#options = options
  }

  read(name: string): ConnectorTopics {
    this.#requireTracking()
    return { [name]: { topics: this.#options.storage.statuses.topics(name) } }
  }

  /** Forgets the topics; running tasks report those that they write to from now on. */
  reset(name: string): void {
    this.#requireTracking()
    if (!this.#options.topicTracking.mayReset) throw new HerderError({ tag: 'topic reset disabled' })
    this.#options.storage.statuses.removeTopics(name)
    this.#options.runner.forgetTopics(name)
  }

  #requireTracking(): void {
    if (!this.#options.topicTracking.isEnabled) throw new HerderError({ tag: 'topic tracking disabled' })
  }
}
