/**
 * Looks for defects with random histories, for as long as you let it.
 *
 *     npm run hunt -- --flavor mysql --metadata FULL --minutes 60 --seed 1
 *
 * `--first` ends it with the first defect, `--tries` limits the runs that shorten a history, `--unlogged 0.1` leaves a tenth of the definitions out of the binlog,
 * `--no-gtid` runs MySQL without GTIDs.
 *
 * Prints each defect with its shortest history, and the figures at the end. Exit code 1: it found one.
 */
import { sharedEnvironment, startKafka, startMariaDb, startMySql } from '@tributary/testkit'
import { parseArgs } from 'node:util'
import { type CampaignOptions, defectOf, reportDefect, runCampaign } from './campaign.ts'

const { values } = parseArgs({
  options: {
    flavor: { type: 'string', default: 'mysql' },
    metadata: { type: 'string', default: 'MINIMAL' },
    minutes: { type: 'string', default: '10' },
    runs: { type: 'string', default: 'Infinity' },
    histories: { type: 'string', default: '20' },
    steps: { type: 'string', default: '15' },
    unlogged: { type: 'string', default: '0.05' },
    seed: { type: 'string', default: '1' },
    tries: { type: 'string', default: '80' },
    first: { type: 'boolean', default: false },
    'no-gtid': { type: 'boolean', default: false },
  },
})
await using kafka = await startKafka()
await using database = await (values.flavor === 'mariadb' ? startMariaDb({}) : startMySql({ gtid: !values['no-gtid'] }))
// A run takes its brokers from the environment, as under the test runner.
Object.assign(process.env, sharedEnvironment({ kafka, mysql: database, mariadb: database }))
const end = Date.now() + Number(values.minutes) * 60_000
const totals = { histories: 0, statements: 0, refused: 0, events: 0, withheld: 0, stopped: 0, defects: 0 }
const reasons = new Map<string, number>()
for (let run = 0; run < Number(values.runs) && Date.now() < end; run++) {
  const options: CampaignOptions = {
    database,
    seed: Number(values.seed) + run,
    histories: Number(values.histories),
    stepsPerHistory: Number(values.steps),
    metadata: values.metadata as CampaignOptions['metadata'],
    unlogged: Number(values.unlogged),
  }
  const outcome = await runCampaign(options)
  totals.histories += options.histories
  totals.statements += outcome.statements
  totals.refused += outcome.refused
  totals.events += outcome.right
  totals.withheld += outcome.withheld
  totals.stopped += outcome.stopped.size
  for (const reason of outcome.stopped.values()) {
    const text = reason.replaceAll(/h\d+[am]\d+|adversary_?\w*|\d+/g, '…').slice(0, 160)
    reasons.set(text, (reasons.get(text) ?? 0) + 1)
  }
  const defect = defectOf(outcome, options)
  if (defect === null) continue
  totals.defects += 1
  console.log(await reportDefect(options, outcome, defect, Number(values.tries)))
  if (values.first) break
}
console.log(JSON.stringify({ ...values, ...totals }))
for (const [reason, count] of reasons) console.log(`${count} × ${reason}`)
process.exit(totals.defects === 0 ? 0 : 1)
