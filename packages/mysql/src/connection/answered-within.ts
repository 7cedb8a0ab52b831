import { StoppedError, withTimeout, type Clock } from '@tributary/support'
import { mysqlErrors } from '../errors.ts'

/** Most time that a server has for an answer. */
export interface TimeLimit {
  readonly clock: Clock
  readonly limitMs: number
}

/** Work with a time limit, described for the error message. */
export interface Awaited extends TimeLimit {
  /** host:port */
  readonly address: string
  /** As in “while requesting the binlog”. Called when the time is over, to name the step that was running then. */
  readonly doing: () => string
}

/**
 * Runs work of one or more statements under a time limit. A server that accepts a connection and then stays silent
 * counts as a lost connection, so that the caller opens a new one. For a single statement, `query` takes the limit
 * itself.
 *
 * @param work passes its signal to the connections that it opens and to their statements
 * @throws MYSQL_CONNECTION_LOST when the time is over; StoppedError when `signal` fires
 */
export async function answeredWithin<T>(
  { clock, limitMs, address, doing }: Awaited,
  work: (limit: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  try {
    return await withTimeout(clock, limitMs, work, signal)
  } catch (error) {
    if (!(error instanceof StoppedError) || signal?.aborted) throw error
    const reason = `the server did not answer within ${limitMs / 1000} s`
    throw mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing: doing(), reason }, error)
  }
}
