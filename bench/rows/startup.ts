import type { Service } from '@tributary/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { FigureList, type Bench } from '../bench.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { createNumbers, insertRows } from '../load/numbers.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { CONNECTED, CONNECTED_WITHIN_MS, Rig } from '../rig.ts'

const DATABASE = 'start'
const TABLE = `${DATABASE}.customers`
/** Closer than that the asking disturbs what is measured. */
const LOOK = { everyMs: 5 } as const

/** How long somebody waits: for the REST interface, for the first event of a new connector, after a restart. */
export const startup: Bench = {
  name: 'startup',
  summary: 'process start to REST, registration to first event, restart to caught up',
  async run(options) {
    const list = new FigureList('startup')
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await createTables(rig.database, DATABASE, { customers: CUSTOMERS })
    await insertRows(rig.database, { table: TABLE, rows: 1, values: CUSTOMERS.values })
    for (let run = 0; run < options.runs; run++) {
      options.note('startup: starting …')
      await measureStart({ rig, name: `start${run}`, list })
    }
    return list.figures
  },
}

interface StartRun {
  readonly rig: Rig
  readonly name: string
  readonly list: FigureList
}

async function measureStart({ rig, name, list }: StartRun): Promise<void> {
  const { bootstrapServers, database } = rig
  const service = await rig.service(name)
  // The internal topics are there by now: what is measured is a start, not the first one of all.
  await service.stop()
  list.add('process start → REST answers', 'ms', await timeToAnswer(service))

  await using ends = new TopicEnds(bootstrapServers, [`${name}.${TABLE}`])
  let begin = performance.now()
  await service.register(name, rig.connectorConfig({ prefix: name, includes: DATABASE }))
  await ends.waitFor(1, LOOK)
  list.add('registration → first event', 'ms', performance.now() - begin)

  const records = await ends.total()
  await service.waitForLog(CONNECTED, 0, CONNECTED_WITHIN_MS)
  await service.stop()
  await database.query(`UPDATE ${TABLE} SET seq = seq + 1`)
  begin = performance.now()
  const started = service.start()
  await ends.waitFor(records + 1, LOOK)
  list.add('restart → caught up', 'ms', performance.now() - begin)
  await started
  await service.stop()
}

/** Milliseconds until `GET /` is answered. */
async function timeToAnswer(service: Service): Promise<number> {
  const begin = performance.now()
  const started = service.start()
  while (!(await answers(service))) await sleep(LOOK.everyMs)
  const time = performance.now() - begin
  await started
  return time
}

async function answers(service: Service): Promise<boolean> {
  try {
    return (await service.rest('GET', '/')).status === 200
  } catch {
    // It does not listen yet.
    return false
  }
}
