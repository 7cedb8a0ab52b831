import type { StreamingNumbers } from '@tributary/connector-kit'
import type { CodedError, Logger } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'

/** `event.processing.failure.handling.mode`: an event that cannot be processed fails the task, or is left out. */
export class EventFailures {
  readonly #mode: ConnectorConfig['failureHandling']
  readonly #logger: Logger
  readonly #numbers: StreamingNumbers | undefined

  constructor(mode: ConnectorConfig['failureHandling'], logger: Logger, numbers?: StreamingNumbers) {
    this.#mode = mode
    this.#logger = logger
    this.#numbers = numbers
  }

  /** Throws the error, or logs that the event is left out. */
  handle(error: CodedError): void {
    const numbers = this.#numbers
    if (numbers !== undefined) numbers.erroneousEvents += 1
    if (numbers !== undefined && this.#mode !== 'fail') numbers.skippedEvents += 1
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
