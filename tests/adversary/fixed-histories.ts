/**
 * Random histories with fixed seeds: each event equals what the server itself returned for the row and prints from its
 * binlog, none is missing, a table is stopped only after a definition that the binlog lacks, and the last records of the
 * topics are the rows of a replica. `npm run hunt` runs more of them, and shortens those that show a defect.
 */
import { type DatabaseServer, type Flavor, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CampaignOptions } from './campaign-options.ts'
import { defectOf, reportDefect, runCampaign } from './campaign.ts'
import { Replica } from './replica.ts'

/** MariaDB compresses the longer ones of the events; of MySQL, one of the sessions compresses its transactions. */
const COMPRESSION = { mysql: [], mariadb: ['--log-bin-compress', '--log-bin-compress-min-len=45'] } as const

export interface FixedHistories {
  /** Of each chosen setting of each server. */
  readonly histories: number
  /** By the titles of the settings. */
  readonly isChosen: (flavor: Flavor, title: string) => boolean
  /** The least number of events that each setting compares. */
  readonly right: number
}

export const PARTIAL = { title: 'MINIMAL, and rows without all columns', metadata: 'MINIMAL', partial: 0.15 } as const

/** Defines the tests. */
export function testHistories({ histories, isChosen, right }: FixedHistories): void {
  for (const [flavor, start, settings] of [
    ['mysql', startMySql, ['MINIMAL', 'FULL', 'mixed']],
    ['mariadb', startMariaDb, ['NO_LOG', 'MINIMAL', 'FULL', 'mixed']],
  ] as const) {
    describe(flavor, () => {
      const resources = new AsyncDisposableStack()
      let database: DatabaseServer
      let replica: Replica
      before(async () => {
        database = resources.use(await start({ args: ['--myisam-recover-options=FORCE', ...COMPRESSION[flavor]] }))
        replica = resources.use(await Replica.start(database))
      })
      after(() => resources.disposeAsync())

      const all = settings.map((metadata) => ({ title: metadata, metadata, partial: 0 }))
      for (const [i, { title, metadata, partial }] of [...all, PARTIAL].entries()) {
        if (!isChosen(flavor, title)) continue
        test(
          `binlog_row_metadata=${title}: every event is right and none is missing`,
          { timeout: 240_000 },
          async () => {
            const isUnlogged = i % 2 === 0 && partial === 0
            const options: CampaignOptions = {
              database,
              replica: isUnlogged ? null : replica,
              metadata,
              seed: 20_261_124 + i,
              histories,
              stepsPerHistory: 25,
              unlogged: isUnlogged ? 0.05 : 0,
              partial,
              failureMode: partial > 0 ? 'warn' : 'fail',
              serverRestarts: metadata === 'FULL' ? 1 : 0,
            }
            const outcome = await runCampaign(options)
            const defect = defectOf(outcome, options)
            assert.equal(defect, null, defect === null ? '' : await reportDefect(options, outcome, defect, 25))
            assert.ok(outcome.right > right, `only ${outcome.right} events were compared`)
          },
        )
      }
    })
  }
}
