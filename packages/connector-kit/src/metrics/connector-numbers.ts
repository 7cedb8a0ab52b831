import { EventCounts } from './event-counts.ts'
import { SnapshotNumbers } from './snapshot-numbers.ts'

/** The numbers of the stream. Plain fields: whoever does the work adds to them, and a snapshot of the metrics reads. */
export class StreamingNumbers {
  /** False before the first connection and from the loss of one to the next. */
  isConnected = false
  disconnects = 0
  /** Events of tables that are not captured. */
  filteredEvents = 0
  /** Events that could not be handled and were left out, as the configuration permits. */
  skippedEvents = 0
  /** Events that could not be handled. */
  erroneousEvents = 0
  committedTransactions = 0
  rolledBackTransactions = 0
  /** When the last event of a captured table was read, in milliseconds since 1970; null before the first. */
  lastEventMs: number | null = null
  /** From a change to its poll, in milliseconds. */
  readonly behindMs: Spread = new Spread()
  /** The position that was read last; null before the first connection. */
  position: (() => LogPosition) | null = null
  /** The numbers of the spool; null: the task has no spool. */
  spool: (() => SpoolNumbers) | null = null
}

/** The spool of the binlog while the brokers are unreachable. */
export interface SpoolNumbers {
  readonly bytes: number
  readonly bytesMax: number
  readonly files: number
  /** The task reads the binlog into the spool. */
  readonly isActive: boolean
  /** The spool is full or cannot be written, so reading is suspended. */
  readonly isFull: boolean
}

export interface LogPosition {
  readonly file: string
  readonly position: number
  readonly hasGtids: boolean
}

/** Last, least, greatest and average of values. */
export class Spread {
  #count = 0
  #sum = 0
  last: number | null = null
  min: number | null = null
  max: number | null = null

  add(value: number): void {
    this.#count += 1
    this.#sum += value
    this.last = value
    if (this.min === null || value < this.min) this.min = value
    if (this.max === null || value > this.max) this.max = value
  }

  get average(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count
  }
}

/** The numbers of the schema history. */
export class HistoryNumbers {
  /** When the task began to read it, in milliseconds since 1970; null: it did not. */
  recoveryStartMs: number | null = null
  /** Records that were read at the start. */
  recovered = 0
  lastRecoveredMs: number | null = null
  /** Records that were written since. */
  applied = 0
  lastAppliedMs: number | null = null
}

/** All numbers of a connector's task. */
export class ConnectorNumbers {
  readonly streaming: StreamingNumbers = new StreamingNumbers()
  /** Of the initial snapshot, or of a blocking one. */
  readonly snapshot: SnapshotNumbers = new SnapshotNumbers()
  /** Of the incremental snapshot. */
  readonly incremental: SnapshotNumbers = new SnapshotNumbers()
  readonly history: HistoryNumbers = new HistoryNumbers()
  readonly events: EventCounts = new EventCounts()

  /** The snapshot that is shown: the one that reads, else the one that began last. */
  get shownSnapshot(): SnapshotNumbers {
    const { snapshot, incremental } = this
    if (snapshot.state === 'running' || incremental.state === 'none') return snapshot
    if (incremental.state === 'running') return incremental
    return (snapshot.startMs ?? 0) > (incremental.startMs ?? 0) ? snapshot : incremental
  }
}
