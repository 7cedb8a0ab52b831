import { temporaryFolder } from '@tributary/testkit'
import { FigureList, FLOOR, type Bench, type BenchOptions } from '../run/bench.ts'
import { SystemConnector } from '../rig/system-connector.ts'
import { createTopics } from '../rig/topics.ts'
import { countBinlogBytes } from '../floors/binlog-bytes.ts'
import { javaProducerRate } from '../floors/java-producer.ts'
import { prebuiltRecords, sendPrebuilt, type PrebuiltTopic } from '../load/prebuilt-records.ts'
import { createNumbers } from '../load/numbers.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { Rig } from '../rig/rig.ts'
import { tributary } from '../systems/system.ts'
import { smallTransactions } from '../workloads/small-transactions.ts'
import { countRecords, type Load } from '../workloads/workload.ts'

const NAME = 'floors'
const PREFIX = 'floors'
const TRANSACTIONS = 60_000
const QUICK_TRANSACTIONS = 10_000
/** The records are sent repeatedly, because only sending is measured. */
const SENT_RECORDS = 600_000

/**
 * Measures stages alone, with the binlog and the records of the small transactions: bounds that no system can exceed.
 */
export const floors: Bench = {
  name: NAME,
  summary: 'single stages: binlog bytes counted, mysqlbinlog, producers with prebuilt records',
  isRun: 'always',
  async run(options) {
    const list = new FigureList(NAME)
    const load = { database: NAME, amount: options.isQuick ? QUICK_TRANSACTIONS : TRANSACTIONS }
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await smallTransactions.create(rig.database, load)
    const from = await currentPosition(rig)
    options.note(`floors: making ${load.amount.toLocaleString('en')} transactions and their records …`)
    const topics = await recordsOf(rig, load)
    await createTopics(rig.bootstrapServers, [...topics.map(({ topic }) => topic), JAVA_TOPIC])
    for (let run = 0; run < options.runs; run++) {
      options.note('floors: reading …')
      await measureReading({ rig, load, from, list })
      options.note('floors: sending …')
      await measureSending({ rig, topics, options, list })
    }
    return list.figures
  },
}

const JAVA_TOPIC = 'floors.java'

interface Position {
  readonly file: string
  readonly position: number
}

async function currentPosition({ database }: Rig): Promise<Position> {
  const statement = database.flavor === 'mysql' ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS'
  const [row] = await database.query(statement)
  return { file: String(row?.['File']), position: Number(row?.['Position']) }
}

/** Returns the records that Tributary writes for the workload. */
async function recordsOf(rig: Rig, load: Load): Promise<readonly PrebuiltTopic[]> {
  const expected = smallTransactions.expected(PREFIX, load)
  const topics = [...expected.keys()]
  await createTopics(rig.bootstrapServers, topics)
  await using worker = await rig.worker(tributary)
  await new SystemConnector({ rig, system: tributary, worker, prefix: PREFIX, includes: load.database }).start()
  await smallTransactions.fill(rig.database, load)
  await using ends = new TopicEnds(rig.bootstrapServers, topics)
  await ends.waitFor(countRecords(expected))
  return await prebuiltRecords(rig.bootstrapServers, topics, (topic) => `again.${topic}`)
}

interface Reading {
  readonly rig: Rig
  readonly load: Load
  readonly from: Position
  readonly list: FigureList
}

async function measureReading({ rig, load, from, list }: Reading): Promise<void> {
  const { database } = rig
  const changes = smallTransactions.changes(load)
  const modes = database.flavor === 'mysql' ? (['required', 'disabled'] as const) : (['disabled'] as const)
  for (const mode of modes) {
    const { bytes, seconds, processorSeconds } = await countBinlogBytes(database, from, mode)
    const name = `binlog bytes counted in Node, TLS ${mode}`
    list.add(name, 'changes a second', changes / seconds, FLOOR)
    list.add(name, 'MB a second', bytes / seconds / 1e6, FLOOR)
    list.add(name, 's per million changes', (processorSeconds / changes) * 1e6, FLOOR)
  }
  await using folder = temporaryFolder('raw')
  const begin = performance.now()
  const { code, stderr } = await database.mysqlbinlog([
    '--raw',
    '--read-from-remote-server',
    `--start-position=${from.position}`,
    '--to-last-log',
    `--result-file=${folder.path}/`,
    from.file,
  ])
  if (code !== 0) throw new Error(`mysqlbinlog failed: ${stderr}`)
  list.add('mysqlbinlog --raw', 'changes a second', changes / ((performance.now() - begin) / 1000), FLOOR)
}

interface Sending {
  readonly rig: Rig
  readonly topics: readonly PrebuiltTopic[]
  readonly options: BenchOptions
  readonly list: FigureList
}

async function measureSending({ rig: { bootstrapServers }, topics, options, list }: Sending): Promise<void> {
  const count = options.isQuick ? SENT_RECORDS / 10 : SENT_RECORDS
  const { seconds, processorSeconds } = await sendPrebuilt(bootstrapServers, topics, count)
  const own = 'our producer, prebuilt records'
  list.add(own, 'records a second', count / seconds, FLOOR)
  list.add(own, 's per million records', (processorSeconds / count) * 1e6, FLOOR)
  const values = topics.flatMap(({ records }) =>
    records.slice(0, VALUES_PER_TOPIC).flatMap(({ value }) => {
      return value === null ? [] : [Buffer.concat([value.prefix, value.buffer.subarray(value.start, value.end)])]
    }),
  )
  const rate = await javaProducerRate({ bootstrapServers, topic: JAVA_TOPIC, values, count })
  list.add('ProducerPerformance of Java, lz4', 'records a second', rate, FLOOR)
}

/** ProducerPerformance sends them in random order. */
const VALUES_PER_TOPIC = 2_000
