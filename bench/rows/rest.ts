import type { Service } from '@tributary/testkit'
import { FigureList, type Bench } from '../run/bench.ts'
import { createNumbers, insertRows } from '../load/numbers.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { quantile } from '../measure/quantiles.ts'
import { Rig } from '../rig/rig.ts'

const NAME = 'rest'
const READING = /Exporting data from table/
const READ = /Finished exporting \d+ records for table '[^']+' in (\d+) ms/
const REQUESTS = 1_000

/** How long the REST interface takes to answer while a snapshot runs at full speed: GET /connectors, one after the other. */
export const rest: Bench = {
  name: NAME,
  isOursOnly: true,
  summary: 'the REST interface while a snapshot runs at full speed',
  async run(options) {
    const rows = options.isQuick ? 300_000 : 1_000_000
    const list = new FigureList(NAME)
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await createTables(rig.database, NAME, { customers: CUSTOMERS })
    await insertRows(rig.database, { table: `${NAME}.customers`, rows, values: CUSTOMERS.values, isHidden: true })
    const service = await rig.service(NAME)
    await service.register(NAME, rig.connectorConfig({ prefix: NAME, includes: NAME }))
    await service.waitForLog(READING)
    options.note('rest: asking …')
    const latenciesMs = await ask(service)
    if (latenciesMs.length === 0) throw new Error('the snapshot was over before the first answer')
    await service.waitForLog(READ, 0, 600_000)
    const readMs = Number(READ.exec(service.log)?.[1])
    list.add('GET /connectors, p50', 'ms', quantile(latenciesMs, 0.5))
    list.add('GET /connectors, p99', 'ms', quantile(latenciesMs, 0.99))
    list.add('GET /connectors, max', 'ms', quantile(latenciesMs, 1))
    list.add('answers while rows were read', '', latenciesMs.length)
    list.add('rows read meanwhile', '1/s', (rows / readMs) * 1000)
    return list.figures
  },
}

/** Milliseconds per request, as long as the snapshot runs. */
async function ask(service: Service): Promise<readonly number[]> {
  const latenciesMs: number[] = []
  for (let i = 0; i < REQUESTS; i++) {
    const begin = performance.now()
    await service.rest('GET', '/connectors')
    const latencyMs = performance.now() - begin
    // Reading the log is no part of what is measured.
    if (i % LOOK_EVERY === 0 && READ.test(service.log)) break
    latenciesMs.push(latencyMs)
  }
  return latenciesMs
}

const LOOK_EVERY = 50
