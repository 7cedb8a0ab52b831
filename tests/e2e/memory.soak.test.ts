import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createNumbers } from '../../bench/load/numbers.ts'
import { largeTable } from '../../bench/memory/large-table.ts'
import { largeTransaction } from '../../bench/memory/large-transaction.ts'
import { manyTables } from '../../bench/memory/many-tables.ts'
import { pausedBroker } from '../../bench/memory/paused-broker.ts'
import { Rig } from '../../bench/rig/rig.ts'

// Memory is bounded: a tenfold load must not need 100 MB more.

const GROWTH_MAX_MB = 100
/**
 * Every table's definition is kept, 2.5 KB each with five columns; while 10,000 are read and stored the heap contains
 * several copies.
 */
const TABLES_GROWTH_MAX_MB = 250

let rig: Rig

before(async () => {
  rig = await Rig.start({ flavor: 'mysql', entry: null })
  await createNumbers(rig.database)
})

after(() => rig[Symbol.asyncDispose]())

for (const memoryCase of [largeTransaction, largeTable, pausedBroker, manyTables]) {
  const { name, amount } = memoryCase
  test(`memory does not grow with its size: ${memoryCase.describe(amount)}`, async (t) => {
    const tenth = await memoryCase.peakMb(rig, amount / 10, `${name}0`)
    const whole = await memoryCase.peakMb(rig, amount, `${name}1`)
    t.diagnostic(`peak ${tenth} MB at a tenth, ${whole} MB at all of it`)
    const growthMax = memoryCase === manyTables ? TABLES_GROWTH_MAX_MB : GROWTH_MAX_MB
    assert.ok(whole - tenth < growthMax, `${tenth} MB at a tenth, ${whole} MB at all of it`)
  })
}
