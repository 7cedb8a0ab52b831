/**
 * Measures the cost of sending a record to a real broker for each codec: CPU of the client, bytes in the log, CPU of
 * the broker.
 *
 *     npm run exec -- bench/micro/producer.ts [rounds, default 5] [records a run, default 60000]
 *
 * Two shapes: JSON with schemas (a common prefix of 3 KB, then a row of 600 bytes), and a row of 300 bytes alone. The
 * codecs take turns in each round, so that disturbances of the machine affect all alike. Prints the median of the
 * rounds. The first round warms up and is not counted.
 */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createKafka, type Compression, type Kafka, type OutgoingRecord, type RecordPart } from '@tributary/kafka'
import { present, silentLogger, systemClock } from '@tributary/support'
import { seededRandom, startKafka, type KafkaBroker } from '@tributary/testkit'

interface Contender {
  readonly name: string
  /** Undefined for the producer's default. */
  readonly compression: Compression | undefined
  readonly records: readonly OutgoingRecord[]
}

interface Measurement {
  readonly clientMicros: number
  readonly brokerMicros: number
  readonly logBytes: number
  readonly recordsPerSecond: number
}

const rounds = Number(process.argv[2] ?? 5)
const recordCount = Number(process.argv[3] ?? 60_000)
/** The number of different records. They are sent repeatedly, so that making them is not measured. */
const DISTINCT_RECORDS = 4000

const random = seededRandom(42)
const NO_PREFIX = Buffer.alloc(0)

await using server = await startKafka({ profile: 'bench' })
const [broker] = server.brokers
if (broker === undefined) throw new Error('no broker')
const kafka = createKafka({
  bootstrapServers: server.bootstrapServers,
  clientId: 'bench',
  logger: silentLogger,
  clock: systemClock,
})
for (const [shape, contenders] of [
  ['3 KB prefix + 600 B', withSchema()],
  ['300 B', withoutSchema()],
] as const) {
  await compare(shape, contenders, broker)
}

async function compare(shape: string, contenders: readonly Contender[], on: KafkaBroker): Promise<void> {
  const measured = new Map<string, Measurement[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const measurement = await measure(kafka, contender, on)
      if (round > 0) measured.get(contender.name)?.push(measurement)
    }
  }
  console.log(`\n${shape}, ${recordCount} records a run, median of ${rounds} rounds`)
  console.log('                        client µs  broker µs  bytes in log   records/s')
  for (const [name, all] of measured) {
    const column = (pick: (m: Measurement) => number): number => median(all.map(pick))
    const cells = [
      column((m) => m.clientMicros)
        .toFixed(2)
        .padStart(9),
      column((m) => m.brokerMicros)
        .toFixed(2)
        .padStart(10),
      column((m) => m.logBytes)
        .toFixed(0)
        .padStart(13),
      column((m) => m.recordsPerSecond)
        .toFixed(0)
        .padStart(11),
    ]
    console.log(`${name.padEnd(22)} ${cells.join(' ')}`)
  }
}

async function measure(
  client: Kafka,
  { name, compression, records }: Contender,
  on: KafkaBroker,
): Promise<Measurement> {
  const topicName = `bench.${name.replaceAll(/\W/g, '_')}.${records[0]?.value?.prefix.length ?? 0}`
  await using producer = await client.producer({ ...(compression && { compression }), onDelivered: () => undefined })
  const topic = await producer.topic(topicName)
  const folder = join(dirname(on.logFile), 'data', `${topicName}-0`)
  const before = {
    client: process.cpuUsage(),
    broker: brokerCpuMicros(on),
    bytes: folderBytes(folder),
    at: performance.now(),
  }
  for (let i = 0; i < recordCount; i++) {
    topic.send(present(records[i % records.length], 'a record'))
    if (producer.isFull) await producer.ready()
    // Yields to the event loop every 500 records, as a task does once per poll.
    else if (i % 500 === 0) await new Promise(setImmediate)
  }
  await producer.flush()
  const seconds = (performance.now() - before.at) / 1000
  const { user, system } = process.cpuUsage(before.client)
  return {
    clientMicros: (user + system) / recordCount,
    brokerMicros: (brokerCpuMicros(on) - before.broker) / recordCount,
    logBytes: (folderBytes(folder) - before.bytes) / recordCount,
    recordsPerSecond: recordCount / seconds,
  }
}

function withSchema(): readonly Contender[] {
  const schema = Buffer.from(
    JSON.stringify({
      type: 'struct',
      fields: Array.from({ length: 36 }, (_, i) => ({
        type: i % 3 === 0 ? 'int64' : 'string',
        optional: i % 2 === 0,
        field: `column_${i}`,
        name: `io.debezium.time.Something${i}`,
      })),
    }),
  )
  const valuePrefix = Buffer.from(`{"schema":${schema.toString().slice(0, 3000 - 22)},"payload":`)
  const keyPrefix = Buffer.from(
    '{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false,"name":"server1.inventory.customers.Key"},"payload":',
  )
  const records = rows(600).map(({ key, value }) => outgoing(part(keyPrefix, key), part(valuePrefix, value)))
  return [
    { name: 'none', compression: 'none', records },
    { name: 'default: lz4, prefixes', compression: undefined, records },
    { name: 'lz4', compression: 'lz4', records },
    { name: 'snappy', compression: 'snappy', records },
    { name: 'zstd', compression: 'zstd', records },
    { name: 'gzip', compression: 'gzip', records },
  ]
}

function withoutSchema(): readonly Contender[] {
  const records = rows(300).map(({ key, value }) => outgoing(part(NO_PREFIX, key), part(NO_PREFIX, value)))
  return ([undefined, 'lz4', 'snappy', 'zstd', 'gzip'] as const).map((compression) => ({
    name: compression ?? 'default: none',
    compression,
    records,
  }))
}

/** Returns events of a table as JSON of about `bytes` bytes. */
function rows(bytes: number): readonly { readonly key: Buffer; readonly value: Buffer }[] {
  return Array.from({ length: DISTINCT_RECORDS }, (_, i) => {
    const row = (version: number): Record<string, unknown> => ({
      id: 1001 + i,
      first_name: word(6),
      last_name: word(9),
      email: `${word(8)}@example.com`,
      version,
      balance: (random() * 10_000).toFixed(2),
    })
    const source = {
      version: '0.1.0',
      name: 'server1',
      ts_ms: 1_763_718_000_000 + i,
      db: 'inventory',
      table: 'customers',
      pos: 4711 + 310 * i,
      row: 0,
    }
    const event =
      bytes < 500
        ? { after: row(2), op: 'c', ts_ms: source.ts_ms }
        : { before: row(1), after: row(2), source, op: 'u', ts_ms: source.ts_ms }
    const text = JSON.stringify(event)
    const padded = text.replace(/\}$/, `,"note":"${word(Math.max(0, bytes - text.length - 10))}"}`)
    return { key: Buffer.from(`{"id":${1001 + i}}}`), value: Buffer.from(`${padded}}`) }
  })
}

function word(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random.integer(97, 123))).join('')
}

function part(prefix: Buffer, buffer: Buffer): RecordPart {
  return { prefix, buffer, start: 0, end: buffer.length }
}

function outgoing(key: RecordPart, value: RecordPart): OutgoingRecord {
  return { key, value, headers: [], partition: null, timestamp: null, token: 0 }
}

/** Returns user and system time of all threads of the broker. Clock ticks are 10 ms on Linux. */
function brokerCpuMicros(on: KafkaBroker): number {
  const fields = readFileSync(`/proc/${on.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function folderBytes(folder: string): number {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.log'))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
