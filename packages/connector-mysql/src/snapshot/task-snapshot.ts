import type { TaskSnapshot } from '@tributary/connect-api'
import { type ConnectorNumbers, tableProgress } from '@tributary/connector-kit'

/** How far the snapshot of a task is; null: this run has taken none. */
export function taskSnapshot({ shownSnapshot: shown }: ConnectorNumbers, nowMs: number): TaskSnapshot | null {
  const { kind, state, startMs, isPaused, waitsFor } = shown
  if (startMs === null || state === 'none' || state === 'skipped') return null
  return {
    kind,
    state: isPaused ? 'paused' : state,
    waitsFor,
    startedMs: startMs,
    seconds: shown.seconds(nowMs),
    ...shown.progress(nowMs),
    tables: Array.from(shown.tables.values(), (each) => ({
      table: each.name,
      state: each.isDone ? 'complete' : each.rows > 0 ? 'reading' : 'waiting',
      ...tableProgress(each),
    })),
  }
}
