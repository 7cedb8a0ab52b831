/**
 * Random histories with fixed seeds: each event equals what the server itself returned for the row and prints from its
 * binlog, none is missing, and a table is stopped only after a definition that the binlog lacks. `npm run hunt` runs
 * more of them, and shortens those that show a defect.
 */
import { type Database, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CampaignOptions, defectOf, reportDefect, runCampaign } from './campaign.ts'

for (const [flavor, start, settings] of [
  ['mysql', startMySql, ['MINIMAL', 'FULL', 'mixed']],
  ['mariadb', startMariaDb, ['NO_LOG', 'MINIMAL', 'FULL', 'mixed']],
] as const) {
  describe(flavor, () => {
    let database: Database & AsyncDisposable
    before(async () => {
      database = await start()
    })
    after(() => database[Symbol.asyncDispose]())

    for (const metadata of settings) {
      test(
        `binlog_row_metadata=${metadata}: every event is right and none is missing`,
        { timeout: 240_000 },
        async () => {
          const options: CampaignOptions = {
            database,
            metadata,
            seed: 20_261_124,
            histories: 12,
            stepsPerHistory: 25,
            unlogged: 0.05,
          }
          const outcome = await runCampaign(options)
          const defect = defectOf(outcome, options)
          assert.equal(defect, null, defect === null ? '' : await reportDefect(options, outcome, defect, 25))
          assert.ok(outcome.right > 60, `only ${outcome.right} events were compared`)
        },
      )
    }
  })
}
