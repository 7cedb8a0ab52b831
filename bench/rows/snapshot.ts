import { FigureList, type Bench, type BenchOptions } from '../bench.ts'
import { createNumbers, insertRows } from '../load/numbers.ts'
import { createTables, NARROW, WIDE, type TablePlan } from '../load/tables.ts'
import { peakMemoryMb, processorSeconds } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import { Rig } from '../rig.ts'

interface SnapshotPlan {
  readonly name: string
  readonly table: TablePlan
  readonly rows: number
}

const PLANS: readonly SnapshotPlan[] = [
  { name: 'narrow', table: NARROW, rows: 2_000_000 },
  { name: 'wide', table: WIDE, rows: 100_000 },
]

/** Snapshots, from the registration of the connector until the last row is in its topic. */
export const snapshot: Bench = {
  name: 'snapshot',
  summary: 'the initial snapshot of 2,000,000 narrow rows, and of 100,000 rows of 52 columns',
  async run(options) {
    const list = new FigureList('snapshot')
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    for (const plan of PLANS) await measureSnapshots(rig, plan, { options, list })
    return list.figures
  },
}

interface SnapshotSetting {
  readonly options: BenchOptions
  readonly list: FigureList
}

async function measureSnapshots(
  rig: Rig,
  { name, table, rows: allRows }: SnapshotPlan,
  setting: SnapshotSetting,
): Promise<void> {
  const { options, list } = setting
  const rows = options.isQuick ? allRows / 20 : allRows
  options.note(`snapshot: making ${rows.toLocaleString('en')} ${name} rows …`)
  await createTables(rig.database, name, { [name]: table })
  await insertRows(rig.database, { table: `${name}.${name}`, rows, values: table.values, isHidden: true })
  for (let run = 0; run < options.runs; run++) {
    options.note(`snapshot: reading ${name} rows …`)
    await measureSnapshot({ rig, prefix: `${name}${run}`, name, rows, list })
  }
}

interface SnapshotRun {
  readonly rig: Rig
  readonly prefix: string
  /** Of the database, its table, and the figures. */
  readonly name: string
  readonly rows: number
  readonly list: FigureList
}

async function measureSnapshot({ rig, prefix, name, rows, list }: SnapshotRun): Promise<void> {
  const { bootstrapServers } = rig
  const topic = `${prefix}.${name}.${name}`
  const service = await rig.service(prefix)
  await using ends = new TopicEnds(bootstrapServers, [topic])
  const begin = performance.now()
  const processorBegin = processorSeconds(service.pid)
  await service.register(prefix, rig.connectorConfig({ prefix, includes: name }))
  await ends.waitFor(rows)
  const seconds = (performance.now() - begin) / 1000
  const processor = processorSeconds(service.pid) - processorBegin
  list.add(`${name} rows`, '1/s', rows / seconds)
  list.add(`${name}: processor time`, 's per million rows', (processor / rows) * 1e6)
  list.add(`${name}: peak memory`, 'MB', peakMemoryMb(service.pid))
  await service.stop()
  await verifyTopic(bootstrapServers, topic, { r: rows })
}
