import type { Bench, BenchOptions, Figure } from './bench.ts'
import { before, tributary } from '../systems/system.ts'

/**
 * Runs one row. A row that measures only the current build (growth, soak, memory, rest) runs a second time with the
 * build of `--against`, on new servers; these figures are in the column `before`.
 */
export async function runRow(bench: Bench, options: BenchOptions): Promise<readonly Figure[]> {
  const figures = await bench.run(options)
  if (bench.isOursOnly !== true || options.entryBefore === null) return figures
  options.note(`${bench.name}: again with the build before …`)
  const earlier = await bench.run({ ...options, entry: options.entryBefore, profileEntries: 0 })
  // Floors do not depend on the build; the first run has measured them.
  const own = earlier.filter(({ system }) => system === tributary.name)
  return [...figures, ...own.map((figure) => ({ ...figure, system: before.name }))]
}
