import type { GoldenCase } from '../conformance.ts'
import { exclusiveCases, moreCases, quickCases } from '../golden-cases.ts'

/** Cases that run only in Avro, since no recording covers them in JSON. */
const AVRO_ONLY: readonly GoldenCase[] = [
  // Without the variants, whose options are refused (left-out.ts).
  { name: '17_columns', columnsLeftOut: { 'PFX.g_col.p': ['geo'] } },
  // Incremental snapshots are not supported: rows of the signal table are ordinary rows.
  { name: '25_incremental_snapshot' },
  { name: '27_charsets_db' },
]

/** Each script once: its variants use the same databases, one after the other. */
export const sharedAvroCases: readonly GoldenCase[] = byScript([...quickCases, ...moreCases, ...AVRO_ONLY])

/** All cases that run in Avro. */
export const avroCases: readonly GoldenCase[] = [...sharedAvroCases, ...exclusiveCases]

function byScript(cases: readonly GoldenCase[]): readonly GoldenCase[] {
  return [...Map.groupBy(cases, ({ name }) => name).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const variants = [first, ...more].flatMap((golden) => golden.variants ?? [''])
    return [{ ...first, variants }]
  })
}
