import { ConfigDef, type ConfigMap } from '@tributary/connect-api'
import { errorKeys } from '../../config/connector-keys.ts'

/** What a connector does about records that fail: its properties `errors.…` (KIP-298). */
export interface ErrorPolicy {
  /** True: a record that fails is skipped. */
  readonly isTolerant: boolean
  readonly isLogged: boolean
  /** The log lines contain the record and the text of the error. */
  readonly includesMessages: boolean
  /** The policy for a record that is too large for the brokers; null: the same as for other errors. */
  readonly tooLarge: 'fail' | 'skip' | 'placeholder' | null
  /** Longest time of the attempts of one conversion; Infinity: no limit. */
  readonly retryLimitMs: number
  /** Longest pause between two attempts; null: not set. */
  readonly retryPauseMaxMs: number | null
}

const RETRY_TIMEOUT = 'errors.retry.timeout'
const RETRY_PAUSE = 'errors.retry.delay.max.ms'

/**
 * `connector`: a valid configuration. Only conversions that wait for a schema registry can be repeated. Connect would
 * not repeat them by default and lose the records, or fail the task; so without `errors.retry.timeout` there is no
 * limit.
 */
export function errorPolicy(connector: ConfigMap): ErrorPolicy {
  const values = new ConfigDef(errorKeys).parse(connector)
  // Longer than any task, they may be beyond 2^53.
  const milliseconds = (name: string): number | null => (connector[name] === undefined ? null : Number(connector[name]))
  const timeoutMs = milliseconds(RETRY_TIMEOUT) ?? -1
  const pauseMs = milliseconds(RETRY_PAUSE)
  return {
    isTolerant: values.string('errors.tolerance') === 'all',
    isLogged: values.boolean('errors.log.enable'),
    includesMessages: values.boolean('errors.log.include.messages'),
    tooLarge: tooLargeOf(connector[RECORD_TOO_LARGE]),
    retryLimitMs: timeoutMs < 0 ? Infinity : timeoutMs,
    // Node’s timers end at 24 days.
    retryPauseMaxMs: pauseMs === null ? null : Math.min(Math.max(1, pauseMs), PAUSE_MS_MAX),
  }
}

const RECORD_TOO_LARGE = 'errors.record.too.large'

/** `text`: a valid value, or undefined. */
function tooLargeOf(text: string | undefined): ErrorPolicy['tooLarge'] {
  return text === 'fail' || text === 'skip' || text === 'placeholder' ? text : null
}

const PAUSE_MS_MAX = 2 ** 31 - 1
