import { type ConnectorNumbers, tableProgress, type SnapshotTable, type WholeProgress } from '@tributary/connector-kit'
import type { Clock, Logger, Timer } from '@tributary/support'

export interface ProgressLogOptions {
  readonly numbers: ConnectorNumbers
  readonly clock: Clock
  readonly logger: Logger
}

/** Logs how far a snapshot is, each half minute while one runs. */
export class ProgressLog implements Disposable {
  readonly #options: ProgressLogOptions
  #timer: Timer

  constructor(options: ProgressLogOptions) {
    this.#options = options
    this.#timer = this.#next()
  }

  #next(): Timer {
    return this.#options.clock.after(INTERVAL_MS, () => {
      this.#log()
      this.#timer = this.#next()
    })
  }

  #log(): void {
    const { numbers, clock, logger } = this.#options
    const { shownSnapshot: shown } = numbers
    if (shown.state !== 'running') return
    const nowMs = clock.now()
    const name = shown.kind === 'initial' ? 'Snapshot' : `${capital(shown.kind)} snapshot`
    const parts = [
      wholeText(shown.progress(nowMs)),
      `${shown.tableCount - shown.remainingTables} of ${shown.tableCount} tables complete`,
      ...Array.from(shown.tables.values()).filter(isRead).slice(0, TABLES_MAX).map(tableText),
    ]
    const state = shown.isPaused ? ' is paused by a signal' : shown.waitsFor === null ? '' : ` waits: ${shown.waitsFor}`
    logger.info(`${name}${state === '' ? ' progress' : state}: ${parts.join('; ')}`)
  }

  [Symbol.dispose](): void {
    this.#timer.cancel()
  }
}

function isRead({ rows, isDone }: SnapshotTable): boolean {
  return rows > 0 && !isDone
}

function tableText(table: SnapshotTable): string {
  const { percent } = tableProgress(table)
  const part = percent === null ? `${table.rows} rows` : `about ${percent} %`
  return `'${table.name}' ${part}`
}

/** For example `about 43 % (1300 of about 3000 rows), 470 rows/s, about 4 s left`. */
function wholeText({ rows, estimatedRows, percent, rowsPerSecond, secondsLeft, rowsLeft }: WholeProgress): string {
  const rate = `${Math.round(rowsPerSecond)} rows/s`
  if (percent === null || estimatedRows === null) return `${rows} rows, ${rate}`
  const left =
    rowsLeft === null
      ? 'more rows than the server has estimated'
      : secondsLeft === null
        ? ''
        : `about ${Math.ceil(secondsLeft)} s left`
  return `about ${percent} % (${rows} of about ${estimatedRows} rows), ${rate}${left === '' ? '' : `, ${left}`}`
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

const INTERVAL_MS = 30_000
/** As many as connections usually read at a time. */
const TABLES_MAX = 8
