import type { CodedError, Logger } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'

/** `event.processing.failure.handling.mode`: an event that cannot be processed fails the task, or is left out. */
export class EventFailures {
  readonly #mode: ConnectorConfig['failureHandling']
  readonly #logger: Logger

  constructor(mode: ConnectorConfig['failureHandling'], logger: Logger) {
    this.#mode = mode
    this.#logger = logger
  }

  /** Throws the error, or logs that the event is left out. */
  handle(error: CodedError): void {
    switch (this.#mode) {
      case 'fail':
        throw error
      case 'warn':
        this.#logger.warn('An event is left out', { error })
        return
      case 'skip':
      case 'ignore':
        this.#logger.debug('An event is left out', { error })
    }
  }
}
