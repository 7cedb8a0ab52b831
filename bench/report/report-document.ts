import { loadavg } from 'node:os'
import type { BenchOptions, Figure } from '../run/bench.ts'
import { describeMachine, type Machine } from '../measure/machine.ts'
import { median } from '../measure/quantiles.ts'

/** What `--json` writes. */
export interface ReportDocument {
  readonly date: string
  readonly machine: Machine
  /** What was measured of ours: the path of a packed release, one packed for this run, or `workspace`. */
  readonly artefact: string
  /** The build measured as `before`; null when there is none. */
  readonly before: string | null
  readonly commit: string
  /** With versions. */
  readonly servers: readonly string[]
  /** What was measured side by side, with what was set for each. */
  readonly systems: BenchOptions['systems']
  readonly isQuick: boolean
  /** Rows without figures. */
  readonly failures: readonly string[]
  readonly figures: readonly (Figure & { readonly median: number; readonly min: number; readonly max: number })[]
}

export interface ReportContext {
  readonly options: BenchOptions
  /** As the command line named it; null: packed for this run. */
  readonly artefact: string | null
  /** Describes the build measured as `before`; null when there is none. */
  readonly before: string | null
  readonly failures: readonly string[]
  readonly commit: string
  /** Of the last minute, before anything was started. */
  readonly load: number
}

export function loadBefore(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100
}

export function reportDocument(
  figures: readonly Figure[],
  { options, artefact, before, commit, load, failures }: ReportContext,
): ReportDocument {
  return {
    date: new Date().toISOString(),
    machine: describeMachine(load),
    artefact: artefact ?? 'packed for this run',
    before,
    commit,
    servers: [...options.servers].toSorted(),
    systems: options.systems,
    isQuick: options.isQuick,
    failures,
    figures: figures.map((figure) => ({
      ...figure,
      median: median(figure.values),
      min: Math.min(...figure.values),
      max: Math.max(...figure.values),
    })),
  }
}
