import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '@tributary/testkit'
import type { NumberedRows } from './numbered-rows.ts'

/** How far the rows may be ahead of the faults, as a share of all: some always arrive while the last fault happens. */
const LEAD = 0.02

/**
 * Inserts rows in transactions of all sizes, with statements that change the table in between, in step with the faults
 * that the test causes: `progress` returns the share of them that is over.
 */
export async function writeRows(
  rows: NumberedRows,
  count: number,
  random: SeededRandom,
  progress: () => number,
): Promise<void> {
  let columns = 0
  while (rows.last < count) {
    const left = count - rows.last
    const kind = random.integer(0, 9)
    if (kind === 0) await rows.insert(Math.min(left, random.integer(5_000, 20_000)))
    else if (kind === 1) await rows.alter(`ADD COLUMN extra${columns++} INT`)
    else if (kind < 6) await rows.insert(Math.min(left, random.integer(1, 3_000)))
    else await rows.insertSingly(Math.min(left, random.integer(1, 300)))
    do await sleep(random.integer(0, 300))
    while (rows.last > count * (progress() + LEAD))
  }
}
