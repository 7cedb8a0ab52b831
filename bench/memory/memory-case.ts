import type { Rig } from '../rig/rig.ts'

/** Something whose amount must not decide how much memory the service needs. */
export interface MemoryCase {
  /** Short, also the name of databases and topics: letters and digits. */
  readonly name: string
  /** With the amount, as the table shows it: `one transaction of 1,000,000 updated rows`. */
  describe(amount: number): string
  /** Rows, tables or seconds. */
  readonly amount: number
  /** Does it with a service of its own, checks that everything came out, and gives the peak of its memory. */
  peakMb(rig: Rig, amount: number, name: string): Promise<number>
}
