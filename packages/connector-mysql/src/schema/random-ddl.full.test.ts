import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { runSequences } from '../testing/random-sequences.ts'

// Nothing of it survives, so the server need not wait for the disk.
const args = ['--innodb-flush-method=nosync', '--innodb-doublewrite=0']

for (const [product, start] of [
  ['MySQL', startMySql],
  ['MariaDB', startMariaDb],
] as const) {
  test(`the model of random tables has what the catalogue of ${product} has, after each statement`, async (run) => {
    await using server = await start({ rowMetadata: 'FULL', args })
    const seed = randomInt(1_000_000, 1_000_000_000)
    run.diagnostic(`seed ${seed}`)

    const { failed, ...figures } = await runSequences(server, { seed, sequences: 400 })

    run.diagnostic(JSON.stringify(figures))
    assert.deepEqual(failed, [])
    assert.ok(figures.compared > 1_000, `only ${figures.compared} definitions were compared`)
    assert.ok(figures.gaps * 20 < figures.compared, `${figures.gaps} tables had to be read again`)
  })
}
