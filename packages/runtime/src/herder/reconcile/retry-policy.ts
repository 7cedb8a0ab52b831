import type { ConfigMap } from '@tributary/connect-api'

/** How a connector wants its tasks to be started again after a failure. */
export interface RetryPolicy {
  /** The first delay; each one after it is twice as long. */
  readonly initialMs: number
  readonly maxMs: number
  /** Starts in a row; Infinity: no limit. */
  readonly retriesMax: number
}

/** The task has usually retried for minutes before it fails; earlier restarts would only add connections. */
const INITIAL_MS = 5_000
/** Frequent logins with a wrong password may lock an account; a longer delay would only postpone the recovery. */
const MAX_MS = 300_000

/**
 * The properties are Debezium's: `errors.max.retries` (-1, the default, for no limit) and
 * `retriable.restart.connector.wait.ms`. A value that is no such number counts as absent: Debezium ignores it, too, as
 * long as nothing fails.
 */
export function retryPolicy(config: ConfigMap): RetryPolicy {
  const retries = wholeNumber(config['errors.max.retries'])
  const waitMs = wholeNumber(config['retriable.restart.connector.wait.ms'])
  const initialMs = waitMs === null || waitMs < INITIAL_MS_MIN ? INITIAL_MS : Math.min(waitMs, WAIT_MS_MAX)
  return {
    initialMs,
    maxMs: Math.max(MAX_MS, initialMs),
    retriesMax: retries === null || retries < 0 ? Infinity : retries,
  }
}

/** Without a delay, the worker would create threads and connections as fast as they end. */
const INITIAL_MS_MIN = 100
/** Node’s timers end at 24 days. */
const WAIT_MS_MAX = 2 ** 31 - 1

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : null
}
