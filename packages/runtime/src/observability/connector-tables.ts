import type { ConnectorTables, CountedTable, SnapshotProgress, TableSnapshot, TaskInfo } from '@tributary/rest-api'
import type { MeterSnapshot } from '@tributary/support'
import { EVENTS_METRIC, familiesNamed } from './task-families.ts'

/** The tables beyond the limit of the metrics together. The name of a table has a dot. */
const OTHER_TABLES = 'other'

type Counts = Record<'read' | 'create' | 'update' | 'delete' | 'truncate', number>

/** Where the numbers are. */
export interface MeasuredConnectors {
  readonly taskInfos: (connector: string) => readonly TaskInfo[]
  /** The last numbers of a task; null without any. */
  readonly taskMetrics: (connector: string, task: number) => MeterSnapshot | null
}

/** The tables of a connector, from the metrics that its tasks have reported last. */
export function connectorTables(name: string, herder: MeasuredConnectors): ConnectorTables {
  const reports = herder.taskInfos(name).flatMap(({ id }) => herder.taskMetrics(name, id.task) ?? [])
  const progress = progressOf(reports)
  const snapshots = tableSnapshots(reports, progress?.state === 'completed')
  const counts = tableCounts(reports)
  const names = [...new Set([...counts.keys(), ...snapshots.keys()])].toSorted()
  const tables = names.map((table): CountedTable => ({
    table,
    ...(counts.get(table) ?? noEvents()),
    snapshot: snapshots.get(table) ?? null,
  }))
  return { name, snapshot: progress, tables }
}

function tableCounts(reports: readonly MeterSnapshot[]): ReadonlyMap<string, Counts> {
  const tables = new Map<string, Counts>()
  for (const { samples } of familiesNamed(reports, EVENTS_METRIC)) {
    for (const { labels, value } of samples) {
      const { table = '', operation = '' } = labels
      const counts = tables.get(table) ?? noEvents()
      tables.set(table, counts)
      if (isOperation(operation, counts)) counts[operation] += value
    }
  }
  return tables
}

function isOperation(operation: string, counts: Counts): operation is keyof Counts {
  return Object.hasOwn(counts, operation)
}

function noEvents(): Counts {
  return { read: 0, create: 0, update: 0, delete: 0, truncate: 0 }
}

function tableSnapshots(reports: readonly MeterSnapshot[], isComplete: boolean): ReadonlyMap<string, TableSnapshot> {
  const rows = byTable(reports, 'tributary_snapshot_table_rows')
  const estimates = byTable(reports, 'tributary_snapshot_table_estimated_rows')
  const done = byTable(reports, 'tributary_snapshot_table_done')
  return new Map(
    Array.from(rows, ([table, count]) => [
      table,
      {
        rows: count,
        estimated_rows: estimates.get(table) ?? null,
        // Of the tables beyond the limit together, the metric is the number of those that are done.
        is_done: table === OTHER_TABLES ? isComplete : (done.get(table) ?? 0) > 0,
      },
    ]),
  )
}

function byTable(reports: readonly MeterSnapshot[], metric: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const { samples } of familiesNamed(reports, metric)) {
    for (const { labels, value } of samples) values.set(labels['table'] ?? '', value)
  }
  return values
}

function kindOf(reports: readonly MeterSnapshot[]): SnapshotProgress['kind'] {
  const [sample] = familiesNamed(reports, 'tributary_snapshot_running').flatMap(({ samples }) => samples)
  const kind = sample?.labels['kind']
  return kind === 'blocking' || kind === 'incremental' ? kind : 'initial'
}

function progressOf(reports: readonly MeterSnapshot[]): SnapshotProgress | null {
  const value = (metric: string): number =>
    familiesNamed(reports, metric).reduce((sum, { samples }) => sum + (samples[0]?.value ?? 0), 0)
  const known = (metric: string): number | null =>
    familiesNamed(reports, metric).flatMap(({ samples }) => samples)[0]?.value ?? null
  const snapshot = 'debezium_metrics_Snapshot'
  const states = [
    ['running', value('tributary_snapshot_running')],
    ['completed', value(`${snapshot}Completed`)],
    ['aborted', value(`${snapshot}Aborted`)],
  ] as const
  const state = states.find(([, isIt]) => isIt > 0)?.[0]
  if (state === undefined) return null
  const rows = [...byTable(reports, 'tributary_snapshot_table_rows').values()]
  return {
    state,
    tables: value('tributary_snapshot_tables'),
    tables_remaining: value('tributary_snapshot_tables_remaining'),
    rows: rows.reduce((sum, count) => sum + count, 0),
    seconds: value(`${snapshot}DurationInSeconds`),
    kind: kindOf(reports),
    is_paused: value(`${snapshot}Paused`) > 0,
    percent: known('tributary_snapshot_percent'),
    rows_per_second: value('tributary_snapshot_rows_per_second'),
    seconds_left: known('tributary_snapshot_seconds_remaining'),
    is_waiting: value('tributary_snapshot_waiting') > 0,
  }
}
