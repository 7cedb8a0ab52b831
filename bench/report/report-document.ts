import { loadavg } from 'node:os'
import type { BenchOptions, Figure } from '../run/bench.ts'
import { describeMachine, type Machine } from '../measure/machine.ts'
import { median } from '../measure/quantiles.ts'

/** The document that `--json` writes. */
export interface ReportDocument {
  readonly date: string
  readonly machine: Machine
  /** The measured build of Tributary: the path of a packed release, one packed for this run, or `workspace`. */
  readonly artefact: string
  /** The build measured as `before`; null without one. */
  readonly before: string | null
  readonly commit: string
  /** Names with versions. */
  readonly servers: readonly string[]
  /** The compared systems with their settings. */
  readonly systems: BenchOptions['systems']
  readonly isQuick: boolean
  /** Rows that failed and have no figures. */
  readonly failures: readonly string[]
  readonly figures: readonly (Figure & { readonly median: number; readonly min: number; readonly max: number })[]
}

export interface ReportContext {
  readonly options: BenchOptions
  /** As named on the command line; null for a release packed for this run. */
  readonly artefact: string | null
  /** Describes the build measured as `before`; null without one. */
  readonly before: string | null
  readonly failures: readonly string[]
  readonly commit: string
  /** The load average of the minute before the run. */
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
