import type { Rig } from '../rig/rig.ts'

/** A kind of work whose amount must not affect the memory of the service. */
export interface MemoryCase {
  /** A short name, also for databases and topics: letters and digits. */
  readonly name: string
  /** Describes an amount for the table: `one transaction of 1,000,000 updated rows`. */
  describe(amount: number): string
  /** Rows, tables or seconds. */
  readonly amount: number
  /** Runs the work with a service of its own, checks the output, and returns the peak memory of the service. */
  peakMb(rig: Rig, amount: number, name: string): Promise<number>
}
