/** How a snapshot reads: first of all, while the stream waits, or beside the stream. */
export type SnapshotKind = 'initial' | 'blocking' | 'incremental'

/** A table of a snapshot. */
export interface SnapshotTable {
  readonly name: string
  rows: number
  /** Of all rows that this run reads, as the server estimates them; null: it was not asked, or does not know. */
  estimatedRows: number | null
  isDone: boolean
}

/** How far a snapshot, or a table of it, is. */
export interface RowProgress {
  readonly rows: number
  /** Null: unknown. */
  readonly estimatedRows: number | null
  /** From 0 to 100; 100 only when all is read. Null: unknown. */
  readonly percent: number | null
  /** Null: unknown, as also when there are more rows than the server has estimated. */
  readonly rowsLeft: number | null
}

/** How far a snapshot is as a whole. */
export interface WholeProgress extends RowProgress {
  /** Of the last half minute. */
  readonly rowsPerSecond: number
  /** At that rate; null: unknown. */
  readonly secondsLeft: number | null
}

/**
 * The numbers of the snapshot of this run of the task: the one source of what log, metrics, REST interface and page
 * show. A snapshot that begins again begins to count again.
 */
export class SnapshotNumbers {
  kind: SnapshotKind = 'initial'
  state: 'none' | 'running' | 'completed' | 'aborted' | 'skipped' = 'none'
  isLocking = false
  /** What it waits for, to spare the source, as in “34 running threads, limit 20”; null: it does not wait. */
  waitsFor: string | null = null
  startMs: number | null = null
  endMs: number | null = null
  tableCount = 0
  remainingTables = 0
  /** All of the snapshot, in the order of reading. */
  readonly tables: Map<string, SnapshotTable> = new Map()
  #pausedMs = 0
  /** Since when it is paused; null: it is not. */
  #pausedSinceMs: number | null = null
  #samples: Sample[] = []

  begin(nowMs: number, kind: SnapshotKind = 'initial'): void {
    this.kind = kind
    this.state = 'running'
    this.waitsFor = null
    this.startMs = nowMs
    this.endMs = null
    this.tableCount = 0
    this.remainingTables = 0
    this.tables.clear()
    this.#pausedMs = 0
    this.#pausedSinceMs = null
    this.#samples = []
  }

  end(state: 'completed' | 'aborted', nowMs: number): void {
    this.pause(false, nowMs)
    this.state = state
    this.isLocking = false
    this.waitsFor = null
    this.endMs = nowMs
  }

  pause(isPaused: boolean, nowMs: number): void {
    const since = this.#pausedSinceMs
    if (isPaused === (since !== null)) return
    if (since !== null) this.#pausedMs += Math.max(0, nowMs - since)
    this.#pausedSinceMs = isPaused ? nowMs : null
  }

  get isPaused(): boolean {
    return this.#pausedSinceMs !== null
  }

  seconds(nowMs: number): number {
    return this.startMs === null ? 0 : Math.max(0, (this.endMs ?? nowMs) - this.startMs) / 1_000
  }

  pausedSeconds(nowMs: number): number {
    const current = this.#pausedSinceMs === null ? 0 : Math.max(0, nowMs - this.#pausedSinceMs)
    return (this.#pausedMs + current) / 1_000
  }

  /** How far it is as a whole. The rate is measured between calls, so it needs several in a half minute. */
  progress(nowMs: number): WholeProgress {
    const tables = [...this.tables.values()]
    const rows = tables.reduce((sum, each) => sum + each.rows, 0)
    const estimatedRows = summed(tables.map((each) => (each.isDone ? each.rows : atLeast(each))))
    const rowsLeft = summed(tables.map((each) => tableProgress(each).rowsLeft))
    const isDone = this.state === 'completed'
    const rowsPerSecond = this.#rate(rows, nowMs)
    return {
      rows,
      estimatedRows,
      percent: percentOf(rows, estimatedRows, isDone),
      rowsLeft,
      rowsPerSecond,
      secondsLeft: rowsLeft === 0 ? 0 : rowsLeft === null || rowsPerSecond === 0 ? null : rowsLeft / rowsPerSecond,
    }
  }

  #rate(rows: number, nowMs: number): number {
    const endMs = this.endMs ?? nowMs
    if (this.startMs === null) return 0
    if (this.endMs !== null) return rateOf(rows, endMs - this.startMs)
    const samples = this.#samples
    const newest = samples.at(-1)
    if (newest === undefined || nowMs - newest.ms >= SAMPLE_MS) samples.push({ ms: nowMs, rows })
    // One that is older than the window stays: the window begins with it.
    while (samples.length > 1 && nowMs - (samples[1]?.ms ?? nowMs) >= WINDOW_MS) samples.shift()
    const [oldest] = samples
    if (oldest === undefined || nowMs - this.startMs <= WINDOW_MS) return rateOf(rows, nowMs - this.startMs)
    return rateOf(rows - oldest.rows, nowMs - oldest.ms)
  }
}

/** How far a table is. */
export function tableProgress({ rows, estimatedRows, isDone }: Readonly<SnapshotTable>): RowProgress {
  if (isDone) return { rows, estimatedRows, percent: 100, rowsLeft: 0 }
  const left = estimatedRows === null || rows > estimatedRows ? null : estimatedRows - rows
  return { rows, estimatedRows, percent: percentOf(rows, estimatedRows, false), rowsLeft: left }
}

/** The server may have estimated too few. */
function atLeast({ rows, estimatedRows }: Readonly<SnapshotTable>): number | null {
  return estimatedRows === null ? null : Math.max(rows, estimatedRows)
}

interface Sample {
  readonly ms: number
  readonly rows: number
}

/** Rounded down: it is 100 only at the end, also when the server has estimated too few rows. */
function percentOf(rows: number, estimatedRows: number | null, isDone: boolean): number | null {
  if (isDone) return 100
  if (estimatedRows === null) return null
  if (estimatedRows === 0) return rows === 0 ? 0 : ALMOST
  return Math.min(ALMOST, Math.floor((rows / estimatedRows) * 1_000) / 10)
}

function rateOf(rows: number, ms: number): number {
  return ms <= 0 ? 0 : rows / (ms / 1_000)
}

/** Null when a part is unknown. */
function summed(parts: readonly (number | null)[]): number | null {
  let sum = 0
  for (const part of parts) {
    if (part === null) return null
    sum += part
  }
  return sum
}

const ALMOST = 99.9
const SAMPLE_MS = 1_000
const WINDOW_MS = 30_000
