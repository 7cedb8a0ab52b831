import type { LoggerLevel } from '@tributary/rest-api'
import type { Clock, LogLevelName, LogLevels } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { ConfigStore } from '../storage/config-store.ts'
import { HerderError } from './herder-error.ts'
import type { TopicWait } from './topic-wait.ts'

export interface LoggerRequestsOptions {
  readonly configs: ConfigStore
  readonly clock: Clock
  /** The levels of this process, task threads included. */
  readonly logLevels: LogLevels
  readonly topicWait: TopicWait
}

/** Requests about log levels. */
export class LoggerRequests {
  readonly #options: LoggerRequestsOptions

  constructor(options: LoggerRequestsOptions) {
    this.#options = options
  }

  all(): Readonly<Record<string, LoggerLevel>> {
    return Object.fromEntries(this.#options.logLevels.names().map((name) => [name, this.get(name)]))
  }

  get(name: string): LoggerLevel {
    const found = this.#options.logLevels.find(name)
    if (found === null) throw new HerderError({ tag: 'unknown logger', logger: name })
    return { level: found.level, last_modified: found.lastModifiedMs }
  }

  set(name: string, level: LogLevelName): readonly string[] {
    const { logLevels, clock } = this.#options
    return logLevels.set(name, level, clock.now())
  }

  async setOnAllWorkers(name: string, level: LogLevelName): Promise<void> {
    const { configs, topicWait } = this.#options
    await topicWait.run((signal) => configs.putLoggerLevel(name, level, signal), runtimeErrors.CONFIG_WRITE_FAILED)
  }
}
