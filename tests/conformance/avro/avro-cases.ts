import type { GoldenCase } from '../conformance.ts'
import { lonelyCases, moreCases, quickCases } from '../golden-cases.ts'

/** What is of interest in Avro, and has no recording that JSON is compared with. */
const AVRO_ONLY: readonly GoldenCase[] = [
  // Its rows without its options, which are refused (left-out.ts).
  { name: '17_columns', columnsLeftOut: { 'PFX.g_col.p': ['geo'] } },
  // No incremental snapshots: its signals are rows as others.
  { name: '25_incremental_snapshot' },
  { name: '27_charsets_db' },
]

/** Each script once: its variants use the same databases, and take turns. */
export const sharedAvroCases: readonly GoldenCase[] = byScript([...quickCases, ...moreCases, ...AVRO_ONLY])

/** All cases that are run in Avro. */
export const avroCases: readonly GoldenCase[] = [...sharedAvroCases, ...lonelyCases]

function byScript(cases: readonly GoldenCase[]): readonly GoldenCase[] {
  return [...Map.groupBy(cases, ({ name }) => name).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const variants = [first, ...more].flatMap((golden) => golden.variants ?? [''])
    return [{ ...first, variants }]
  })
}
