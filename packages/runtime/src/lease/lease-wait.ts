import { StoppedError, withTimeout, type Clock, type Logger } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { Lease } from './lease.ts'

export interface LeaseWaitOptions {
  readonly lease: Pick<Lease, 'isHeld' | 'held'>
  readonly clock: Clock
  /** Its outage board shows that the task waits. */
  readonly logger: Logger
  /** Called with each wait. Default: only waits. */
  readonly wait?: (held: Promise<void>) => Promise<void>
}

/** Resolves when the lease is held. Rejects with StoppedError when the signal fires, and with errors of `wait`. */
export async function untilHeld(options: LeaseWaitOptions, signal: AbortSignal): Promise<void> {
  const { lease, clock, logger, wait = (held) => held } = options
  if (lease.isHeld) return
  while (!lease.isHeld) {
    // Again and again, since the board forgets old entries.
    logger.outages?.failed(CONFIRMING, runtimeErrors.MEMBERSHIP_UNCONFIRMED({}))
    try {
      await withTimeout(clock, REMINDER_MS, (limit) => wait(lease.held(limit)), signal)
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
    }
  }
  logger.outages?.ended(CONFIRMING)
}

const CONFIRMING = 'confirming the membership of the worker'
const REMINDER_MS = 60_000
