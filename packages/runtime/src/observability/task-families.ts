import type { HistogramSnapshot, MeterSnapshot, MetricFamily } from '@tributary/support'

/** Events of all tables, by operation. Truncates count as deletes. */
export interface OperationTotals {
  readonly rows: number
  readonly creates: number
  readonly updates: number
  readonly deletes: number
}

/** The metric of a connector that counts events by table and operation. */
export const EVENTS_METRIC = 'tributary_events_total'
const LATENCY_METRIC = 'tributary_commit_to_ack_seconds'

/** The values of a metric in the reports of a connector's tasks. */
export function familiesNamed(reports: readonly MeterSnapshot[], name: string): readonly MetricFamily[] {
  return reports.flatMap(({ families }) => families.filter(({ definition }) => definition.name === name))
}

export function operationTotals(reports: readonly MeterSnapshot[]): OperationTotals {
  const totals = { rows: 0, creates: 0, updates: 0, deletes: 0 }
  for (const { samples } of familiesNamed(reports, EVENTS_METRIC)) {
    for (const { labels, value } of samples) {
      const total = TOTALS[labels['operation'] ?? '']
      if (total !== undefined) totals[total] += value
    }
  }
  return totals
}

const TOTALS: Readonly<Record<string, keyof OperationTotals>> = {
  read: 'rows',
  create: 'creates',
  update: 'updates',
  delete: 'deletes',
  truncate: 'deletes',
}

/** The latency of all records so far, in seconds; null without any. */
export function latencyOf(reports: readonly MeterSnapshot[]): HistogramSnapshot | null {
  const all = familiesNamed(reports, LATENCY_METRIC).flatMap(({ distributions }) => distributions)
  const [first, ...others] = all
  if (first === undefined) return null
  const counts = first.counts.map((count, i) => others.reduce((sum, each) => sum + (each.counts[i] ?? 0), count))
  return { bounds: first.bounds, counts, sum: all.reduce((sum, each) => sum + each.sum, 0) }
}

/**
 * The value that a share of the observations between two snapshots does not exceed, interpolated within its bucket;
 * null without observations. A value above all bounds is the last bound.
 */
export function quantileSince(last: HistogramSnapshot | null, now: HistogramSnapshot, share: number): number | null {
  const counts = now.counts.map((count, i) => count - (last?.counts[i] ?? 0))
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= 0 || counts.some((count) => count < 0)) return null
  let below = 0
  for (const [i, count] of counts.entries()) {
    const upper = now.bounds[i]
    const lower = now.bounds[i - 1] ?? 0
    if (upper === undefined) return lower
    if (below + count >= share * total && count > 0) return lower + ((share * total - below) / count) * (upper - lower)
    below += count
  }
  return null
}
