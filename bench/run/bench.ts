import type { Flavor } from '@tributary/testkit'
import { tributary, type System } from '../systems/system.ts'

/** The settings of a run. */
export interface BenchOptions {
  /** A tenth of the work or less, once: shows that everything runs, and yields no usable figures. */
  readonly isQuick: boolean
  /** Number of runs of each row that can be repeated. */
  readonly runs: number
  /** The systems to compare, in this order. */
  readonly systems: readonly System[]
  readonly flavor: Flavor
  /** Entry file of the service to measure; null: that of this workspace. */
  readonly entry: string | null
  /** Entry file of the build that is measured as `before`; null without one. */
  readonly entryBefore: string | null
  /** Names and versions of the servers in use, for the report. Code that starts a server adds it. */
  readonly servers: Set<string>
  /** Number of entries to print from the CPU profile of the current build; 0 for no profile. */
  readonly profileEntries: number
  /** Duration of the row `soak`. */
  readonly minutes: number
  /** Prints progress to standard error. */
  readonly note: (text: string) => void
}

/** One figure of one benchmark: the cell of a system in a line of the table. */
export interface Figure {
  readonly bench: string
  readonly name: string
  readonly unit: string
  /** Name of the measured system; `FLOOR` for a bound that no system can exceed. */
  readonly system: string
  /** One per run, in order. */
  readonly values: readonly number[]
}

/** The unit of figures about the machine. Systems are not compared by them. */
export const OF_MACHINE = '% of the processors'

/** The column for what the machine, the servers or a part of a system achieve alone. */
export const FLOOR = 'floor'

/** A benchmark. It starts the servers that it needs, checks the output, and returns its figures. */
export interface Bench {
  readonly name: string
  /** Other names on the command line. */
  readonly aliases?: readonly string[]
  /** For the usage text. */
  readonly summary: string
  /** Whether it runs when no benchmark is named; `quick`: also with `--quick`. Default: only when it is named. */
  readonly isRun?: 'always' | 'quick'
  /** True for a row that measures the current build only, whatever the systems: it runs again for `before`. */
  readonly isOursOnly?: true
  run(options: BenchOptions): Promise<readonly Figure[]>
}

/** Collects figures by name and system over all runs. */
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
