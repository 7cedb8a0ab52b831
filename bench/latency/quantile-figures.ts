import { quantile } from '../measure/quantiles.ts'

/** The reported quantiles of a latency. */
export const QUANTILES: readonly (readonly [label: string, share: number])[] = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['p99.9', 0.999],
  ['max', 1],
]

/** Calls `add` with a figure in milliseconds for each quantile of a latency. */
export function addQuantiles(
  name: string,
  latenciesMs: readonly number[],
  add: (name: string, unit: string, value: number) => void,
): void {
  for (const [label, share] of QUANTILES) add(`${name}, ${label}`, 'ms', quantile(latenciesMs, share))
}
