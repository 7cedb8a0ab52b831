import type { PollResult } from '@tributary/connect-api'

/** A phase of a connector's work that yields records: the snapshot, the stream. */
export interface ChangeEventSource {
  /** The next records; null when the phase is over. Rejects with StoppedError soon after the signal fires. */
  poll(signal: AbortSignal): Promise<PollResult | null>
  /** Ends its connections. */
  close(): Promise<void>
}
