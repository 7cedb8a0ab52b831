/** How far a table of a snapshot is. */
export interface TableProgress {
  readonly table: string
  readonly state: 'waiting' | 'reading' | 'complete'
  /** Rows that this run of the task has read. */
  readonly rows: number
  /** About how many rows it reads; null: unknown. */
  readonly estimatedRows: number | null
  /** From 0 to 100; 100 only when all is read. Null: unknown. */
  readonly percent: number | null
  /** Null: unknown. */
  readonly rowsLeft: number | null
}

/** How far the snapshot of a task is. Plain data. */
export interface TaskSnapshot {
  readonly kind: 'initial' | 'blocking' | 'incremental'
  readonly state: 'running' | 'paused' | 'completed' | 'aborted'
  /** What it waits for, to spare the source; null: it does not wait. */
  readonly waitsFor: string | null
  /** In milliseconds since 1970. */
  readonly startedMs: number
  readonly seconds: number
  readonly rows: number
  readonly estimatedRows: number | null
  readonly percent: number | null
  readonly rowsPerSecond: number
  readonly rowsLeft: number | null
  /** At the present rate; null: unknown. */
  readonly secondsLeft: number | null
  readonly tables: readonly TableProgress[]
}

/** A request of a user to a running task. */
export interface TaskSignal {
  /** Chosen by the user: a task does not run a signal with the same id twice. */
  readonly id: string
  readonly type: string
  /** JSON; empty: none. */
  readonly data: string
}

export type SignalResult =
  /** Its effect is stored. `isRepeated`: a signal with this id was run before, and this one was not. */
  | { readonly tag: 'accepted'; readonly isRepeated: boolean }
  /** It cannot be run, now or later. `reason` is a sentence. */
  | { readonly tag: 'invalid'; readonly reason: string }
  /** It cannot be run now. `reason` is a sentence. */
  | { readonly tag: 'unavailable'; readonly reason: string }
