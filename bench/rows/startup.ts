import type { Service } from '@tributary/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { FigureList, type Bench } from '../run/bench.ts'
import { SystemConnector } from '../rig/system-connector.ts'
import { interleaved } from '../compare/interleaved.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { createNumbers, insertRows } from '../load/numbers.ts'
import { residentMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { Rig } from '../rig/rig.ts'
import type { System } from '../systems/system.ts'

const DATABASE = 'start'
const TABLE = `${DATABASE}.customers`
/** More frequent requests would disturb the measurement. */
const POLLING = { everyMs: 5 } as const
/** Long enough for the collection of the garbage of the start. */
const IDLE_MS = 5_000

/**
 * Measures how long users wait: for the REST interface, for the first event of a new connector, and after a restart.
 */
export const startup: Bench = {
  name: 'startup',
  summary: 'process start to REST, registration to first event, restart to caught up; idle memory',
  isRun: 'quick',
  async run(options) {
    const list = new FigureList('startup')
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await createTables(rig.database, DATABASE, { customers: CUSTOMERS })
    await insertRows(rig.database, { table: TABLE, rows: 1, values: CUSTOMERS.values })
    const workers = new Map<System, Service>()
    for (const system of options.systems) {
      // Creates the internal topics, so that no measured start has to.
      const worker = await rig.worker(system)
      await worker.stop()
      workers.set(system, worker)
    }
    for (const { system, run } of interleaved(options.systems, options.runs)) {
      const worker = workers.get(system)
      if (worker === undefined) continue
      options.note(`startup: ${system.name} …`)
      await measureStart({ rig, system, worker, run, list })
    }
    return list.figures
  },
}

interface StartRun {
  readonly rig: Rig
  readonly system: System
  readonly worker: Service
  readonly run: number
  readonly list: FigureList
}

async function measureStart({ rig, system, worker, run, list }: StartRun): Promise<void> {
  const { bootstrapServers, database } = rig
  const prefix = `start${system.name.replaceAll('-', '')}${run}`
  const add = (name: string, unit: string, value: number): void => list.add(name, unit, value, system.name)
  add('process start → REST answers', 'ms', await timeToAnswer(worker))
  // Lets both systems finish their background work after a start, which would otherwise count for the registration.
  await sleep(IDLE_MS)
  add('idle memory, no connector', 'MB', residentMemoryMb(worker.pid))

  const connector = new SystemConnector({ rig, system, worker, prefix, includes: DATABASE })
  await using ends = new TopicEnds(bootstrapServers, [`${prefix}.${TABLE}`])
  const logged = worker.log.length
  let begin = performance.now()
  await connector.register()
  await ends.waitFor(1, POLLING)
  add('registration → first event', 'ms', performance.now() - begin)
  await connector.waitUntilStreaming(logged)
  await sleep(IDLE_MS)
  add('idle memory, one connector', 'MB', residentMemoryMb(worker.pid))

  const records = await ends.total()
  await worker.stop()
  await database.query(`UPDATE ${TABLE} SET seq = seq + 1`)
  begin = performance.now()
  const started = worker.start()
  await ends.waitFor(records + 1, POLLING)
  add('restart → caught up', 'ms', performance.now() - begin)
  await started
  await connector.delete()
  await worker.stop()
}

/** Returns the milliseconds until the worker, and not only its listener, answers a request. */
async function timeToAnswer(worker: Service): Promise<number> {
  const begin = performance.now()
  const started = worker.start()
  while (!(await answers(worker))) await sleep(POLLING.everyMs)
  const time = performance.now() - begin
  await started
  return time
}

async function answers(worker: Service): Promise<boolean> {
  try {
    return (await worker.rest('GET', '/connectors')).status === 200
  } catch {
    // The worker does not listen yet.
    return false
  }
}
