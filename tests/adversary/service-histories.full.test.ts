/** The same random histories through the whole service, with real topics: stopped, resumed and killed in between. */
import { startMariaDb, startMySql, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CampaignOptions } from './campaign-options.ts'
import { defectOf, runOptions } from './campaign.ts'
import { RandomSteps } from './random-steps.ts'
import { Replica } from './replica.ts'
import { runHistories } from './run-histories.ts'
import { ServiceReader } from './service-reader.ts'

for (const [flavor, start] of [
  ['mysql', startMySql],
  ['mariadb', startMariaDb],
] as const) {
  test(`${flavor}: the topics of the service have every event`, { timeout: 240_000 }, async () => {
    await using database = await start({ args: ['--myisam-recover-options=FORCE'] })
    await using replica = await Replica.start(database)
    const { bootstrapServers } = await useKafka()
    const options: CampaignOptions = {
      database,
      replica,
      metadata: 'MINIMAL',
      seed: 20_261_130,
      histories: 6,
      stepsPerHistory: 25,
      unlogged: 0,
      partial: 0,
      failureMode: 'fail',
      serverRestarts: 0,
    }
    const openReader = (of: Parameters<typeof ServiceReader.open>[0]): Promise<ServiceReader> =>
      ServiceReader.open(of, bootstrapServers)
    const outcome = await runHistories({ ...runOptions(options), openReader }, new RandomSteps(options))
    assert.equal(defectOf(outcome, options), null)
    assert.ok(outcome.right > 30, `only ${outcome.right} events were compared`)
    assert.ok(outcome.statesCompared > 0, 'no table was compared with the replica')
  })
}
