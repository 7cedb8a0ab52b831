import { describeError } from '@tributary/support'
import { setTimeout as sleep } from 'node:timers/promises'
import { testkitErrors } from '../errors.ts'

export interface EventuallyOptions {
  /** Default 20,000: long enough for a loaded machine with two cores. */
  readonly timeoutMs?: number
  /** Pause between two looks; default 25. */
  readonly everyMs?: number
}

/**
 * Waits for a fact: calls `look` until it gives something other than `undefined` or `false`, and gives that.
 * An error that `look` throws counts as "not yet" and is shown (and kept as cause) when time is up.
 *
 *     const status = await eventually('the task runs', async () => (await read()).state === 'RUNNING')
 */
export async function eventually<T>(
  fact: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutMs = 20_000, everyMs = 25 } = options
  const end = performance.now() + timeoutMs
  let failure: unknown
  for (;;) {
    try {
      const found = await look()
      if (found !== undefined && found !== false) return found
      failure = undefined
    } catch (error) {
      failure = error
    }
    if (performance.now() >= end) break
    await sleep(everyMs)
  }
  const last =
    failure === undefined ? 'The last look found nothing.' : `The last look failed: ${describeError(failure)}`
  throw testkitErrors.FACT_DID_NOT_COME({ timeoutMs, fact, last }, failure)
}
