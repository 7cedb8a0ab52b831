import { systemClock } from '@tributary/support'
import { Lease, momentOf } from '../lease.ts'

/** A lease that is held for as long as any test takes. */
export function heldLease(): Lease {
  const lease = new Lease(systemClock)
  lease.renew(momentOf(systemClock), 86_400_000)
  return lease
}
