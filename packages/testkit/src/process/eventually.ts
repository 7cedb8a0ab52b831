import { describeError } from '@tributary/support'
import { setTimeout as sleep } from 'node:timers/promises'
import { testkitErrors } from '../errors.ts'

export interface EventuallyOptions {
  /** Default 20,000: long enough for a loaded machine with two cores. */
  readonly timeoutMs?: number
  /** Pause between two checks; default 25. */
  readonly everyMs?: number
}

/**
 * Waits for a fact: calls `check` until it returns something other than `undefined` or `false`, and returns that.
 * An error in `check` counts as "not yet". When the time is up, the last error is the cause of the failure.
 *
 *     const status = await eventually('the task runs', async () => (await read()).state === 'RUNNING')
 */
export async function eventually<T>(
  fact: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutMs = 20_000, everyMs = 25 } = options
  const end = performance.now() + timeoutMs
  let failure: unknown
  for (;;) {
    try {
      const found = await check()
      if (found !== undefined && found !== false) return found
      failure = undefined
    } catch (error) {
      failure = error
    }
    if (performance.now() >= end) break
    await sleep(everyMs)
  }
  const last =
    failure === undefined ? 'The last check was negative.' : `The last check failed: ${describeError(failure)}`
  throw testkitErrors.FACT_NOT_OBSERVED({ timeoutMs, fact, last }, failure)
}
