import type { RunningSnapshot, SnapshotTableProgress } from '@tributary/rest-api'
import { visibleText } from '@tributary/support'
import { type Cell, textTable } from '../terminal/text-table.ts'
import type { Palette } from '../terminal/palette.ts'
import { connectorPath } from './connector-answers.ts'
import { RefusedError, type RestClient } from './rest-client.ts'

/** The snapshot of a connector; null: none runs, or the service does not report it. */
export async function readSnapshot(client: RestClient, name: string): Promise<RunningSnapshot | null> {
  try {
    const { json } = await client.request('GET', connectorPath(name, '/snapshot'))
    if (typeof json !== 'object' || json === null || !('snapshot' in json)) return null
    const { snapshot } = json
    return isSnapshot(snapshot) ? snapshot : null
  } catch (error) {
    // Kafka Connect, and earlier versions of Tributary, do not have the path.
    if (error instanceof RefusedError) return null
    throw error
  }
}

function isSnapshot(value: unknown): value is RunningSnapshot {
  return typeof value === 'object' && value !== null && 'state' in value && 'tables' in value
}

export interface SnapshotView {
  readonly palette: Palette
  /** Whether bars are drawn. */
  readonly isTerminal: boolean
}

/** Lines after the status: how far a snapshot is that is not complete; empty for a complete one. */
export function renderSnapshot(snapshot: RunningSnapshot, { palette, isTerminal }: SnapshotView): string {
  const { kind, state, waits_for: waitsFor, tables, tables_complete: complete, tables_total: total } = snapshot
  if (state === 'completed') return ''
  const name = kind === 'initial' ? 'Snapshot' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)} snapshot`
  const paint = state === 'running' && waitsFor === null ? palette.good : palette.doubtful
  const head = `\n${name}: ${paint(waitsFor === null || state !== 'running' ? state : 'waiting')}${barOf(snapshot, isTerminal)}\n`
  const lines = [
    ...(waitsFor === null ? [] : [`It waits: ${waitsFor}`]),
    wholeText(snapshot),
    `${complete} of ${total} tables complete`,
  ]
  const shown = tables.filter((table) => table.state === 'reading').slice(0, TABLES_MAX)
  const rows = shown.map((each): Cell[] => [
    `  ${each.table}`,
    `${percentText(each)}${barOf(each, isTerminal)}`,
    rowsText(each),
  ])
  const table = rows.length === 0 ? '' : textTable(['  TABLE', 'DONE', 'ROWS'], rows, palette)
  return head + lines.map((line) => `  ${visibleText(line)}\n`).join('') + table
}

/** For example `about 43 %, 1300 of about 3000 rows, 470 rows/s, about 4 s left`. */
function wholeText(snapshot: RunningSnapshot): string {
  const { percent, state, rows_per_second: rate, seconds_left: left } = snapshot
  const parts = [
    ...(percent === null ? [] : [percentText(snapshot)]),
    rowsText(snapshot),
    ...(state === 'running' ? [`${Math.round(rate)} rows/s`] : []),
    ...(state === 'running' && left !== null ? [`about ${durationText(left)} left`] : []),
  ]
  return parts.join(', ')
}

type Part = Pick<SnapshotTableProgress, 'rows' | 'estimated_rows' | 'percent' | 'rows_left'>

function percentText({ percent }: Part): string {
  return percent === null ? 'unknown' : `about ${percent} %`
}

function rowsText({ rows, estimated_rows: estimated, rows_left: left }: Part): string {
  if (estimated === null) return `${rows} rows`
  return left === null ? `${rows} rows, more than the server has estimated` : `${rows} of about ${estimated} rows`
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 120) return `${whole} s`
  const minutes = Math.ceil(whole / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function barOf({ percent }: Part, isTerminal: boolean): string {
  if (!isTerminal || percent === null) return ''
  const full = Math.floor((percent / 100) * BAR_CELLS)
  return ` [${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}]`
}

const BAR_CELLS = 24
/** One screen. */
const TABLES_MAX = 16
