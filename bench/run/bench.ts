import type { Flavor } from '@tributary/testkit'
import { tributary, type System } from '../systems/system.ts'

/** What a benchmark is run with. */
export interface BenchOptions {
  /** A tenth of the work or less, once: to see that everything runs, not to take figures. */
  readonly isQuick: boolean
  /** How often what can be repeated is. */
  readonly runs: number
  /** What is measured side by side, in this order. */
  readonly systems: readonly System[]
  readonly flavor: Flavor
  /** Entry file of the service to measure; null: that of this workspace. */
  readonly entry: string | null
  /** Entry file of the build that is measured as `before`; null when there is none. */
  readonly entryBefore: string | null
  /** Names and versions of the servers that were used, for the report: who starts one adds it. */
  readonly servers: Set<string>
  /** Number of entries of the processor profile of our own service to show; 0: none is taken. */
  readonly profileEntries: number
  /** Length of a soak. */
  readonly minutes: number
  /** Says on standard error what is going on. */
  readonly note: (text: string) => void
}

/** One figure of one benchmark: a line of the table, and in it the column of a system. */
export interface Figure {
  readonly bench: string
  readonly name: string
  readonly unit: string
  /** Name of the system that it is of; `FLOOR` for what no system can pass. */
  readonly system: string
  /** One per run, in order. */
  readonly values: readonly number[]
}

/** The unit of what is said of the machine and not of a system: systems are not compared by it. */
export const OF_MACHINE = '% of the processors'

/** The column of what the machine, the servers or a part of a system do alone. */
export const FLOOR = 'floor'

/** A benchmark: it starts what it needs, checks what comes out, and gives its figures. */
export interface Bench {
  readonly name: string
  /** Other names that the command line takes. */
  readonly aliases?: readonly string[]
  /** For the usage text. */
  readonly summary: string
  /** Whether it is run when none is named; `quick`: with `--quick` too. Default: only on request. */
  readonly isRun?: 'always' | 'quick'
  /** True for a row that measures the current build only, whatever the systems: it runs again for `before`. */
  readonly isOursOnly?: true
  run(options: BenchOptions): Promise<readonly Figure[]>
}

/** Collects figures by name and system, run after run. */
export class FigureList {
  readonly #bench: string
  readonly #figures = new Map<string, Figure & { readonly values: number[] }>()

  constructor(bench: string) {
    this.#bench = bench
  }

  add(name: string, unit: string, value: number, system: string = tributary.name): void {
    const key = `${name} ${unit} ${system}`
    const known = this.#figures.get(key)
    if (known !== undefined) known.values.push(value)
    else this.#figures.set(key, { bench: this.#bench, name, unit, system, values: [value] })
  }

  get figures(): readonly Figure[] {
    return [...this.#figures.values()]
  }
}
