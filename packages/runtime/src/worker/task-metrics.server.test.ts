/**
 * The numbers that a task reports, compared with what others report: kafkajs the end offsets, a consumer the bytes of
 * the records, and the database server the time.
 */
import { LogLevels, type MeterSnapshot, systemClock } from '@tributary/support'
import {
  captureLogger,
  casesOfTier,
  connectorConfig,
  type Database,
  eventually,
  fullTest,
  readTopic,
  startOwnBroker,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { Kafka, logLevel } from 'kafkajs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpareThreads } from './spare-threads.ts'
import { TaskThreads } from './task-threads.ts'
import { Worker } from './worker.ts'
import { heldLease } from '../lease/testing/held-lease.ts'

/**
 * The thread of the command line, with all connectors. This package must not import it; the worker only takes its URL.
 */
const THREAD_URL = new URL('../../../cli/src/assembly/thread.ts', import.meta.url)
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'
const SNAPSHOT_ROWS = 40
/**
 * Bytes of a record in a batch beside its key and value. Kafka's DefaultRecord allows 21 for length, attributes, time and
 * offset. Records as small as these need half of that, with the lengths of key and value.
 */
const RECORD_OVERHEAD_MAX = 21
/** Age of the streamed change when it is made. */
const AGE_SECONDS = 5_000

/** The number of records of each topic: the sum of the end offsets of its partitions. */
async function endOffsets(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { bootstrapServers } = await useKafka()
  const admin = new Kafka({ brokers: [...bootstrapServers], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const ends = new Map<string, number>()
    for (const topic of topics) {
      const partitions = await admin.fetchTopicOffsets(topic)
      ends.set(
        topic,
        partitions.reduce((sum, { high }) => sum + Number(high), 0),
      )
    }
    return ends
  } finally {
    await admin.disconnect()
  }
}

/** The bytes of all keys and values in these topics. */
async function consumedBytes(topics: Iterable<string>): Promise<number> {
  const { bootstrapServers } = await useKafka()
  let bytes = 0
  for (const topic of topics) {
    for (const { key, value } of await readTopic(bootstrapServers, topic)) {
      bytes += (key?.length ?? 0) + (value?.length ?? 0)
    }
  }
  return bytes
}

async function serverTimeMs(database: Database): Promise<number> {
  const [row] = await database.query('SELECT UNIX_TIMESTAMP(NOW(6)) * 1000 AS ms')
  return Number(row?.['ms'])
}

function counter(metrics: MeterSnapshot, name: string): number {
  return metrics.counters[name] ?? Number.NaN
}

/** A task in the thread of the command line. It is stopped on disposal. */
class RunningTask implements AsyncDisposable {
  readonly name: string
  readonly topic: string
  readonly #worker: Worker

  /** `rows`: of the table `t`, in a new database. */
  static async start(database: Database, bootstrapServers: readonly string[], rows: string): Promise<RunningTask> {
    const name = uniqueName('metrics')
    await database.query(
      `CREATE DATABASE ${name}; USE ${name}; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(100));
       INSERT INTO t VALUES ${rows}`,
    )
    return new RunningTask(database, bootstrapServers, name)
  }

  private constructor(database: Database, bootstrapServers: readonly string[], name: string) {
    this.name = name
    this.topic = `${name}.${name}.t`
    this.#worker = new Worker({
      threads: new TaskThreads(new SpareThreads({ threadUrl: THREAD_URL, clock: systemClock }), 4, systemClock),
      workerProperties: {
        'bootstrap.servers': bootstrapServers.join(),
        'config.storage.topic': `${name}-configs`,
        'offset.storage.topic': `${name}-offsets`,
        'offset.flush.interval.ms': '200',
        'key.converter': JSON_CONVERTER,
        'value.converter': JSON_CONVERTER,
      },
      lease: heldLease(),
      listener: {
        onClaimed: () => undefined,
        onStarted: () => undefined,
        onTopic: () => undefined,
        onWaiting: () => undefined,
        onFailed: (_connector, _task, { trace }) => assert.fail(trace),
      },
      clock: systemClock,
      logger: captureLogger(),
      logLevels: new LogLevels('OFF'),
    })
    const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
    this.#worker.startTask({ connectorName: name, taskNumber: 0, config, storedOffsets: [] })
  }

  /** The second report from now on: the first may have been made before now. */
  async nextReport(): Promise<MeterSnapshot> {
    const last = (): MeterSnapshot | null => this.#worker.taskMetrics(this.name, 0)
    const seen = new Set([last()])
    return eventually('the task has reported its numbers twice', () => seen.add(last()).size > 2 && (last() ?? false))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker.stop(10_000)
  }
}

for (const [name, use] of casesOfTier('metrics of a task', Object.entries({ MySQL: useMySql, MariaDB: useMariaDb }))) {
  test(`${name}: records, bytes, acknowledgements and lag of a task are those that broker, consumer and database report`, async () => {
    const [database, { bootstrapServers }] = await Promise.all([use(), useKafka()])
    const rows = Array.from({ length: SNAPSHOT_ROWS }, (_, id) => `(${id}, '${'é'.repeat(id)}')`)
    await using task = await RunningTask.start(database, bootstrapServers, rows.join())
    await waitForRecords(bootstrapServers, task.topic, SNAPSHOT_ROWS)
    const changedAtMs = Math.floor((await serverTimeMs(database)) / 1_000 - AGE_SECONDS) * 1_000
    // An update is one record, a delete two: the change and a tombstone.
    await database.query(
      `USE ${task.name}; SET timestamp = ${changedAtMs / 1_000};
       UPDATE t SET name = 'x' WHERE id = 1; DELETE FROM t WHERE id = 2; SET timestamp = DEFAULT`,
    )
    await waitForRecords(bootstrapServers, task.topic, SNAPSHOT_ROWS + 3)
    const nowMs = await serverTimeMs(database)
    const metrics = await task.nextReport()

    // The topic of the prefix contains the schema changes.
    const written = [task.name, task.topic]
    const ends = await endOffsets(written)
    const records = written.reduce((sum, each) => sum + (ends.get(each) ?? Number.NaN), 0)
    assert.deepEqual(
      ['polled', 'dropped', 'sent', 'acknowledged'].map((what) => counter(metrics, `records.${what}`)),
      [records, 0, records, records],
    )
    assert.equal(counter(metrics, 'bytes.sent'), await consumedBytes(written))
    const { 'lag.ms': lagMs = Number.NaN, ...queues } = metrics.gauges
    assert.deepEqual(queues, { 'records.inFlight': 0, 'queue.bytes': 0 })
    assert.ok(lagMs >= AGE_SECONDS * 1_000 && lagMs <= nowMs - changedAtMs, `${lagMs} of ${nowMs - changedAtMs}`)
    assert.ok(counter(metrics, 'commits') > 0)
    assert.equal(counter(metrics, 'commits.failed'), 0)
    const { counts = [] } = metrics.histograms['commit.ms'] ?? {}
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      counter(metrics, 'commits'),
    )
  })
}

fullTest(
  'while a broker does not answer, the records of the source are in flight, and their bytes fill the queue',
  async () => {
    await using kafka = await startOwnBroker({ behindProxy: true })
    const { bootstrapServers, proxies } = kafka
    const database = await useMySql()
    await using task = await RunningTask.start(database, bootstrapServers, `(0, 'snapshot')`)
    await waitForRecords(bootstrapServers, task.topic, 1)
    const before = await task.nextReport()
    for (const proxy of proxies) proxy.stall()
    await database.query(`INSERT INTO ${task.name}.t VALUES (1, 'one'), (2, 'two'), (3, 'three')`)
    const during = await eventually('the changes are in flight', async () => {
      const metrics = await task.nextReport()
      return metrics.gauges['records.inFlight'] !== 0 && metrics
    })
    for (const proxy of proxies) proxy.resume()
    const records = await waitForRecords(bootstrapServers, task.topic, 4)
    const after = await task.nextReport()

    assert.equal(during.gauges['records.inFlight'], 3)
    assert.equal(counter(during, 'records.acknowledged'), counter(before, 'records.acknowledged'))
    const bytes = records.slice(1).reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0)
    const queued = during.gauges['queue.bytes'] ?? Number.NaN
    assert.ok(queued >= bytes && queued <= bytes + 3 * RECORD_OVERHEAD_MAX, `${queued} for ${bytes}`)
    assert.deepEqual(
      [after.gauges['records.inFlight'], after.gauges['queue.bytes'], counter(after, 'records.acknowledged')],
      [0, 0, counter(before, 'records.acknowledged') + 3],
    )
  },
)
