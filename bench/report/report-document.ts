import { loadavg } from 'node:os'
import type { BenchOptions, Figure } from '../bench.ts'
import { describeMachine, type Machine } from '../measure/machine.ts'
import { median } from '../measure/quantiles.ts'

/** What `--json` writes. */
export interface ReportDocument {
  readonly date: string
  readonly machine: Machine
  /** What was measured: the workspace's own service, or a packed one. */
  readonly artefact: string
  readonly commit: string
  /** With versions. */
  readonly servers: readonly string[]
  readonly isQuick: boolean
  readonly figures: readonly (Figure & { readonly median: number; readonly min: number; readonly max: number })[]
}

export interface ReportContext {
  readonly options: BenchOptions
  /** As the command line named it; null: the workspace. */
  readonly artefact: string | null
  readonly commit: string
  /** Of the last minute, before anything was started. */
  readonly load: number
}

export function loadBefore(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100
}

export function reportDocument(
  figures: readonly Figure[],
  { options, artefact, commit, load }: ReportContext,
): ReportDocument {
  return {
    date: new Date().toISOString(),
    machine: describeMachine(load),
    artefact: artefact ?? 'workspace',
    commit,
    servers: [...options.servers].toSorted(),
    isQuick: options.isQuick,
    figures: figures.map((figure) => ({
      ...figure,
      median: median(figure.values),
      min: Math.min(...figure.values),
      max: Math.max(...figure.values),
    })),
  }
}
