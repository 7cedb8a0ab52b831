/**
 * Looks for defects with random histories, for as long as you let it.
 *
 *     npm run hunt -- --flavor mysql --metadata FULL --minutes 60 --seed 1
 *
 * `--first` ends it with the first defect, `--tries` limits the runs that shorten a history, `--count 2000` ends it after
 * so many histories, `--unlogged 0.1` leaves a tenth of the definitions out of the binlog in every second run (in the
 * others all are in it), `--partial 0.1` writes a tenth of the rows with another row image than FULL, `--restarts 0.1`
 * restarts the server in a tenth of the runs, `--no-gtid` runs MySQL without GTIDs, `--no-replica` compares no tables
 * with those of a replica, `--compressed` makes MariaDB compress its events (a session of MySQL always does).
 *
 * Prints each defect with its shortest history, and the figures at the end. Exit code 1: it found one.
 *
 *     npm run hunt -- bytes --inputs 5000000 --seed 1
 *
 * feeds hostile bytes to the readers instead (bytes/hunt-bytes.ts).
 */
import { brokerEnvironment, SharedServers, startKafka, startMariaDb, startMySql } from '@tributary/testkit'
import { parseArgs } from 'node:util'
import type { CampaignOptions } from './campaign-options.ts'
import { defectOf, reportDefect, runCampaign } from './campaign.ts'
import { HuntFigures } from './hunt-figures.ts'
import { Replica } from './replica.ts'

const { values } = parseArgs({
  options: {
    flavor: { type: 'string', default: 'mysql' },
    metadata: { type: 'string', default: 'MINIMAL' },
    minutes: { type: 'string', default: '10' },
    count: { type: 'string', default: 'Infinity' },
    histories: { type: 'string', default: '20' },
    steps: { type: 'string', default: '15' },
    unlogged: { type: 'string', default: '0.05' },
    partial: { type: 'string', default: '0' },
    restarts: { type: 'string', default: '0.1' },
    seed: { type: 'string', default: '1' },
    tries: { type: 'string', default: '80' },
    first: { type: 'boolean', default: false },
    'no-gtid': { type: 'boolean', default: false },
    'no-replica': { type: 'boolean', default: false },
    compressed: { type: 'boolean', default: false },
  },
})
// Data of a killed server survives in the memory of the kernel.
const args = ['--myisam-recover-options=FORCE', '--innodb-flush-method=nosync']
await using kafka = await startKafka()
await using database = await (values.flavor === 'mariadb'
  ? startMariaDb({ args: values.compressed ? [...args, '--log-bin-compress', '--log-bin-compress-min-len=20'] : args })
  : startMySql({ args, gtid: !values['no-gtid'] }))
// A run takes its brokers from the environment, as under the test runner.
const { bootstrapServers } = kafka
await using shared = await SharedServers.listen({
  kafka: async () => ({ bootstrapServers }),
  [database.flavor]: async () => ({ port: database.port, version: database.version, dataFolder: database.dataFolder }),
})
Object.assign(process.env, shared.environment, brokerEnvironment('kafka'))
await using replica = values['no-replica'] ? null : await Replica.start(database)
const end = Date.now() + Number(values.minutes) * 60_000
const figures = new HuntFigures()
for (let run = 0; figures.histories < Number(values.count) && Date.now() < end; run++) {
  const seed = Number(values.seed) + run
  const rate = Number(values.restarts)
  const unlogged = seed % 2 === 0 ? Number(values.unlogged) : 0
  const options: CampaignOptions = {
    database,
    replica: unlogged === 0 ? replica : null,
    seed,
    histories: Number(values.histories),
    stepsPerHistory: Number(values.steps),
    metadata: values.metadata as CampaignOptions['metadata'],
    unlogged,
    partial: Number(values.partial),
    failureMode: Number(values.partial) > 0 && seed % 4 < 2 ? 'warn' : 'fail',
    serverRestarts: Math.floor((run + 1) * rate) - Math.floor(run * rate),
  }
  const outcome = await runCampaign(options)
  const defect = defectOf(outcome, options)
  figures.add(options, outcome, defect)
  if (defect === null) continue
  console.log(await reportDefect(options, outcome, defect, Number(values.tries)))
  if (values.first) break
}
console.log(figures.report({ ...values }))
process.exit(figures.defects === 0 ? 0 : 1)
