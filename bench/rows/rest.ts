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

/**
 * Measures how long the REST interface takes to answer GET /connectors, one request after the other, while a snapshot
 * runs at full speed.
 */
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
    options.note('rest: sending requests …')
    const latenciesMs = await sendRequests(service)
    if (latenciesMs.length === 0) throw new Error('the snapshot ended before the first answer')
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

/** Sends requests as long as the snapshot runs, and returns their latencies in milliseconds. */
async function sendRequests(service: Service): Promise<readonly number[]> {
  const latenciesMs: number[] = []
  for (let i = 0; i < REQUESTS; i++) {
    const begin = performance.now()
    await service.rest('GET', '/connectors')
    const latencyMs = performance.now() - begin
    // Reading the log is not measured.
    if (i % REQUESTS_PER_LOG_READ === 0 && READ.test(service.log)) break
    latenciesMs.push(latencyMs)
  }
  return latenciesMs
}

const REQUESTS_PER_LOG_READ = 50
