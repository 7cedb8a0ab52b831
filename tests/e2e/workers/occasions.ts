import type { Overlap } from './dump-watch.ts'

/** What a fault has done once. */
export interface Occasion {
  readonly fault: string
  /** The longest that an event has waited because of the fault; Infinity: not all have arrived. */
  readonly seconds: number
  /** The same while it was repaired, and the work was distributed again. */
  readonly secondsAfter: number
  /** Records beyond the first of each row. */
  readonly repeats: number
  readonly missing: readonly string[]
  /** A process that wrote on over the records of its successor. */
  readonly doubleWriters: readonly string[]
  /** Two workers that are well read the binlog of a connector. */
  readonly doubleReaders: readonly Overlap[]
  /**
   * A frozen worker, and one that is cut off from the brokers, still has its connection to the database, until the server
   * ends it for the next reader.
   */
  readonly leftOvers: readonly Overlap[]
  /** Why the occasion could not be completed. */
  readonly error: string | null
}

/** As Markdown. */
export function tableOf(brokers: number, occasions: readonly Occasion[]): string {
  const faults = [...new Set(occasions.map(({ fault }) => fault))]
  const head = [
    '| brokers | fault | times | seconds, median | maximum | on return, median | maximum | repeats | losses | double writers | double readers | left-over dumps, longest s | failed |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
  ]
  const rows = faults.map((fault) => {
    const all = occasions.filter((each) => each.fault === fault)
    const done = all.filter(({ error }) => error === null)
    const sum = (of: (each: Occasion) => number): number => all.reduce((total, each) => total + of(each), 0)
    const leftOvers = all.flatMap((each) => each.leftOvers.map(({ seconds }) => seconds))
    const cells = [
      brokers,
      fault,
      all.length,
      ...figures(done.map(({ seconds }) => seconds)),
      ...figures(done.map(({ secondsAfter }) => secondsAfter)),
      sum(({ repeats }) => repeats),
      sum(({ missing }) => missing.length),
      sum(({ doubleWriters }) => doubleWriters.length),
      sum(({ doubleReaders }) => doubleReaders.length),
      leftOvers.length === 0 ? '0' : `${leftOvers.length}, ${Math.max(...leftOvers).toFixed(2)}`,
      all.length - done.length,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [...head, ...rows, ''].join('\n')
}

function figures(values: readonly number[]): readonly string[] {
  const sorted = values.toSorted((a, b) => a - b)
  return [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((each) => each?.toFixed(1) ?? '')
}
