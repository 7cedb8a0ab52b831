import type { GoldenCase } from '../conformance.ts'
import { exclusiveCases, exclusiveCasesV2, moreCases, quickCases } from '../golden-cases.ts'

/** Cases that run only in Avro, since no recording covers them in JSON. */
const AVRO_ONLY: readonly GoldenCase[] = [
  { name: '15_keys', variants: ['custom-key'] },
  // The reference refuses the mode, which it had until 3.2.
  { name: '19_snapshot_modes', variants: ['never'] },
  {
    name: '17_columns',
    variants: ['', ...'include exclude exclude-skip mask hash truncate propagate propagate-type comments'.split(' ')],
  },
  {
    name: '22_smt_topics',
    variants:
      'unwrap unwrap-rewrite unwrap-rewrite-tomb unwrap-tombstone unwrap-legacy router logical-router regex-naming filter-predicate skip-ops skip-none converters'.split(
        ' ',
      ),
  },
  { name: '27_charsets_db' },
]

/** Each script once: its variants use the same databases, one after the other. */
export const avroCases: readonly GoldenCase[] = byScript([...quickCases, ...moreCases, ...AVRO_ONLY, ...exclusiveCases])

const EXCLUSIVE: ReadonlySet<string> = new Set([...exclusiveCases, ...exclusiveCasesV2].map(({ name }) => name))

/** They share a server with others. */
export const sharedAvroCases: readonly GoldenCase[] = avroCases.filter(({ name }) => !EXCLUSIVE.has(name))

/** Nothing else may run on their server. */
export const exclusiveAvroCases: readonly GoldenCase[] = avroCases.filter(({ name }) => EXCLUSIVE.has(name))

function byScript(cases: readonly GoldenCase[]): readonly GoldenCase[] {
  return [...Map.groupBy(cases, ({ name }) => name).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const variants = [first, ...more].flatMap((golden) => golden.variants ?? [''])
    return [{ ...first, variants }]
  })
}
