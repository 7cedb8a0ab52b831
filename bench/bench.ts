import type { Flavor } from '@tributary/testkit'

/** What a benchmark is run with. */
export interface BenchOptions {
  /** A tenth of the work or less, once: to see that everything runs, not to take figures. */
  readonly isQuick: boolean
  /** How often what can be repeated is. */
  readonly runs: number
  readonly flavor: Flavor
  /** Entry file of the service to measure; null: that of this workspace. */
  readonly entry: string | null
  /** Names and versions of the servers that were used, for the report: who starts one adds it. */
  readonly servers: Set<string>
  /** Number of entries of the processor profile to show; 0: none is taken. */
  readonly profileEntries: number
  /** Says on standard error what is going on. */
  readonly note: (text: string) => void
}

/** One figure of one benchmark: a line of the table. */
export interface Figure {
  readonly bench: string
  readonly name: string
  readonly unit: string
  /** One per run, in order. */
  readonly values: readonly number[]
}

/** A benchmark: it starts what it needs, checks what comes out, and gives its figures. */
export interface Bench {
  readonly name: string
  /** For the usage text. */
  readonly summary: string
  run(options: BenchOptions): Promise<readonly Figure[]>
}

/** Collects figures by name, run after run. */
export class FigureList {
  readonly #bench: string
  readonly #figures = new Map<string, { readonly unit: string; readonly values: number[] }>()

  constructor(bench: string) {
    this.#bench = bench
  }

  add(name: string, unit: string, value: number): void {
    const known = this.#figures.get(name)
    if (known === undefined) this.#figures.set(name, { unit, values: [value] })
    else known.values.push(value)
  }

  get figures(): readonly Figure[] {
    return Array.from(this.#figures, ([name, figure]) => ({ bench: this.#bench, name, ...figure }))
  }
}
