/** Tables that are changed without the binlog, where the binlog has the names of their columns. */
import { type DatabaseServer, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { exchangeWhileBusy, exchangeWhileStopped, openScene } from '../testing/unlogged-changes.ts'

for (const [flavor, start] of [
  ['mysql', startMySql],
  ['mariadb', startMariaDb],
] as const) {
  describe(flavor, () => {
    let database: DatabaseServer
    before(async () => {
      database = await start()
    })
    after(() => database[Symbol.asyncDispose]())

    test('FULL: columns that exchange their names while a busy table is streamed', { timeout: 60_000 }, async () => {
      await exchangeWhileBusy(await openScene(database, 'FULL'))
    })

    test('FULL: columns that exchange their names while the task is stopped', { timeout: 60_000 }, async () => {
      assert.equal(await exchangeWhileStopped(await openScene(database, 'FULL')), 'all')
    })
  })
}
