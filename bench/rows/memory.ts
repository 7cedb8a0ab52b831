import { FigureList, type Bench, type BenchOptions, type Figure } from '../run/bench.ts'
import { createNumbers } from '../load/numbers.ts'
import { residentMemoryMb } from '../measure/process-usage.ts'
import { largeTable } from '../memory/large-table.ts'
import { largeTransaction } from '../memory/large-transaction.ts'
import { manyTables } from '../memory/many-tables.ts'
import type { MemoryCase } from '../memory/memory-case.ts'
import { pausedBroker } from '../memory/paused-broker.ts'
import { CONNECTED, CONNECTED_WITHIN_MS, Rig } from '../rig/rig.ts'

export const memoryCases: readonly MemoryCase[] = [largeTransaction, largeTable, pausedBroker, manyTables]

/**
 * Measures the peak memory of the service at a tenth of an amount and at the whole amount. It must not grow with the
 * amount.
 */
export const memory: Bench = {
  name: 'memory',
  isOursOnly: true,
  summary: 'memory of an idle service; its peak with large transactions, large tables, a paused broker and many tables',
  async run(options) {
    const list = new FigureList('memory')
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await measureIdle(rig, list)
    for (const memoryCase of memoryCases) await measureCase(rig, memoryCase, { list, options })
    return list.figures satisfies readonly Figure[]
  },
}

async function measureIdle(rig: Rig, list: FigureList): Promise<void> {
  const service = await rig.service('idle')
  list.add('idle, no connector', 'MB', residentMemoryMb(service.pid))
  await service.register('idle', rig.connectorConfig({ prefix: 'idle', includes: 'load_numbers' }))
  await service.waitForLog(CONNECTED, 0, CONNECTED_WITHIN_MS)
  list.add('idle, one connector', 'MB', residentMemoryMb(service.pid))
  await service.stop()
}

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
