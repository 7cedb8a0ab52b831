import { FigureList, type Bench, type BenchOptions, type Figure } from '../run/bench.ts'
import { createNumbers } from '../load/numbers.ts'
import { largeTable } from '../memory/large-table.ts'
import { largeTransaction } from '../memory/large-transaction.ts'
import { measureBusyConnectors, measureIdleConnectors } from './many-connectors.ts'
import { manyTables } from '../memory/many-tables.ts'
import type { MemoryCase } from '../memory/memory-case.ts'
import { pausedBroker } from '../memory/paused-broker.ts'
import { Rig } from '../rig/rig.ts'

export const memoryCases: readonly MemoryCase[] = [largeTransaction, largeTable, pausedBroker, manyTables]

/**
 * Measures the peak memory of the service at a tenth of an amount and at the whole amount. It must not grow with the
 * amount.
 */
export const memory: Bench = {
  name: 'memory',
  isOursOnly: true,
  summary:
    'memory with idle and busy connectors; its peak with large transactions or tables, a paused broker, many tables',
  async run(options) {
    const list = new FigureList('memory')
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    options.note('memory: idle connectors …')
    await measureIdleConnectors(rig, list, options.isQuick)
    options.note('memory: busy connectors …')
    await measureBusyConnectors(rig, list, options.isQuick ? ROWS / 10 : ROWS)
    for (const memoryCase of memoryCases) await measureCase(rig, memoryCase, { list, options })
    return list.figures satisfies readonly Figure[]
  },
}

/** Of each busy connector. */
const ROWS = 200_000

interface CaseSetting {
  readonly list: FigureList
  readonly options: BenchOptions
}

/** Measures once, because a growing peak grows every time. */
async function measureCase(rig: Rig, memoryCase: MemoryCase, { list, options }: CaseSetting): Promise<void> {
  const amounts = options.isQuick ? [0.01, 0.1] : [0.1, 1]
  const peaks: number[] = []
  for (const [index, share] of amounts.entries()) {
    const amount = memoryCase.amount * share
    options.note(`memory: ${memoryCase.describe(amount)} …`)
    const peak = await memoryCase.peakMb(rig, amount, `${memoryCase.name}${index}`)
    peaks.push(peak)
    list.add(memoryCase.describe(amount), 'MB peak', peak)
  }
  const [tenth = 0, whole = 0] = peaks
  list.add(`… ten times ${memoryCase.describe(memoryCase.amount * (amounts[0] ?? 0))}`, 'MB more', whole - tenth)
}
