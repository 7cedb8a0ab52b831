import { mysqlErrors } from '../errors.ts'
import { StoppedError, withTimeout, type Clock } from '@tributary/support'

/** What is waited for. */
export interface Awaited {
  readonly clock: Clock
  readonly limitMs: number
  /** host:port */
  readonly address: string
  /** As in “while asking for the binlog”. Asked when the time is over. */
  readonly doing: () => string
}

/**
 * Work that the server has to answer within a limit. A server, or something on the way to it, that takes a connection and then
 * says nothing is as good as a connection that is lost: it is opened again.
 *
 * @param work closes its connections when its signal fires
 * @throws MYSQL_CONNECTION_LOST when the time is over
 */
export async function answeredWithin<T>(
  { clock, limitMs, address, doing }: Awaited,
  work: (limit: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await withTimeout(clock, limitMs, work, signal)
  } catch (error) {
    if (!(error instanceof StoppedError) || signal.aborted) throw error
    const reason = `no answer came for ${limitMs / 1000} s`
    throw mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing: doing(), reason }, error)
  }
}
