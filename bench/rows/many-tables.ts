import { kafkaClient, type Service } from '@tributary/testkit'
import { interleaved } from '../compare/interleaved.ts'
import { createManyTables, insertSpread } from '../load/many-tables.ts'
import { createNumbers } from '../load/numbers.ts'
import { LockProbe } from '../measure/lock-probe.ts'
import { peakMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { Rig } from '../rig/rig.ts'
import { SystemConnector } from '../rig/system-connector.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'
import { warmUpBroker } from '../rig/warm-broker.ts'
import { FigureList, type Bench, type BenchOptions } from '../run/bench.ts'
import { letterOf, type System } from '../systems/system.ts'

const DATABASE = 'many'
const TABLES = 5_000
const QUICK_TABLES = 200
const ROWS_PER_TABLE = 10

/**
 * The initial snapshot of many small tables: how long users wait for the first row, and writers for the locks. All
 * rows go to one topic, since creating thousands of topics measures the broker.
 */
export const manySmallTables: Bench = {
  name: 's1tables',
  summary: 'the initial snapshot of 5,000 tables of 10 rows, cold: the first row, the locks, the memory',
  async run(options) {
    const list = new FigureList('s1tables')
    const tables = options.isQuick ? QUICK_TABLES : TABLES
    options.note(`s1tables: ${tables} tables of ${ROWS_PER_TABLE} rows …`)
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await createManyTables(rig.database, DATABASE, tables)
    const rows = { rowsPerTable: ROWS_PER_TABLE, rowsPerTransaction: ROWS_PER_TABLE }
    await insertSpread(rig.database, { database: DATABASE, tables, ...rows })
    const workers = await rig.workers(options.systems)
    for (const worker of workers.values()) await worker.stop()
    await warmUpBroker(rig.bootstrapServers, options.isQuick)
    for (const { system, run } of interleaved(options.systems, options.runs)) {
      const worker = workers.get(system)
      if (worker === undefined) throw new Error(`${system.name} has no worker`)
      await measure({ rig, system, worker, tables, prefix: `tables${letterOf(system)}${run}`, list, options })
    }
    return list.figures
  },
}

interface Snapshot {
  readonly rig: Rig
  readonly system: System
  readonly worker: Service
  readonly tables: number
  readonly prefix: string
  readonly list: FigureList
  readonly options: BenchOptions
}

async function measure({ rig, system, worker, tables, prefix, list, options }: Snapshot): Promise<void> {
  const { bootstrapServers, database } = rig
  const topic = `${prefix}.all`
  await createTopics(bootstrapServers, [topic])
  await worker.start()
  const more = {
    transforms: 'one',
    'transforms.one.type': 'org.apache.kafka.connect.transforms.RegexRouter',
    'transforms.one.regex': `${prefix}\\.${DATABASE}\\..*`,
    'transforms.one.replacement': topic,
  }
  const connector = new SystemConnector({ rig, system, worker, prefix, includes: DATABASE, more })
  const probe = await LockProbe.start(database)
  await using ends = new TopicEnds(bootstrapServers, [topic])
  await ends.total()
  const begin = performance.now()
  const secondsNow = (): number => (performance.now() - begin) / 1000
  await connector.register()
  await ends.waitFor(1, { everyMs: 20 })
  const toFirst = secondsNow()
  await ends.waitFor(tables * ROWS_PER_TABLE, { everyMs: 20 })
  const toLast = secondsNow()
  const lockMs = await probe.longestMs()
  const peakMb = peakMemoryMb(worker.pid)
  await connector.delete()
  await worker.stop()
  await requireAllRows(bootstrapServers, topic, tables)
  await deleteTopics(bootstrapServers, [topic])
  list.add('registration → first row', 's', toFirst, system.name)
  list.add('registration → last row', 's', toLast, system.name)
  list.add('peak memory', 'MB', peakMb, system.name)
  list.add('longest wait of a write during the snapshot', 'ms', lockMs, system.name)
  const times = `first row ${toFirst.toFixed(1)} s, last ${toLast.toFixed(1)} s, lock ${Math.round(lockMs)} ms`
  options.note(`  ${system.name}: ${times}`)
}

/** Throws unless the topic has each row of each table once. */
async function requireAllRows(bootstrapServers: readonly string[], topic: string, tables: number): Promise<void> {
  const seen = new Set<string>()
  let records = 0
  await using reader = await (await kafkaClient(bootstrapServers)).reader({ topic, from: 'earliest' })
  await reader.readToEnd(({ value }) => {
    records += 1
    const document = JSON.parse(value?.toString() ?? '{}') as { payload?: Payload }
    seen.add(`${document.payload?.source.table} ${document.payload?.after.id}`)
  })
  const expected = tables * ROWS_PER_TABLE
  if (records === expected && seen.size === expected) return
  throw new Error(`${topic} has ${records} records of ${seen.size} rows; expected ${expected}`)
}

interface Payload {
  readonly source: { readonly table: string }
  readonly after: { readonly id: number }
}
