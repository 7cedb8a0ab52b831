import type { Bench, BenchOptions, Figure } from './bench.ts'
import { before, tributary } from '../systems/system.ts'

/**
 * Runs one row. A row that knows the current build only (growth, soak, memory, rest) runs a second time for the build
 * of `--against`, on servers of its own, and the second figures go to the column `before`.
 */
export async function runRow(bench: Bench, options: BenchOptions): Promise<readonly Figure[]> {
  const figures = await bench.run(options)
  if (bench.isOursOnly !== true || options.entryBefore === null) return figures
  options.note(`${bench.name}: again with the build before …`)
  const earlier = await bench.run({ ...options, entry: options.entryBefore, profileEntries: 0 })
  // Floors belong to no build, and have been measured already.
  const own = earlier.filter(({ system }) => system === tributary.name)
  return [...figures, ...own.map((figure) => ({ ...figure, system: before.name }))]
}
