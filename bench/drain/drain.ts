/**
 * How fast the service catches up: a number of events waits in the binlog while it is down; measured is the time from the
 * connection to the binlog until the last event is in its topic.
 *
 *     npm run bench -- drain [--events 500000] [--mariadb] [--profile] [--top 3]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  connectorConfig,
  eventually,
  kafkaClient,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
  type Service,
} from '@tributary/testkit'
import { logBytes } from './log-bytes.ts'
import { createTable, makeSmallTransactions } from './load.ts'
import { peakMemoryMb, processorSeconds } from './process-usage.ts'
import { largestEntries, type ProfileEntry } from './profile.ts'

export interface DrainResult {
  readonly events: number
  readonly seconds: number
  readonly eventsPerSecond: number
  /** Of the service, in all its threads. */
  readonly processorSecondsPerMillion: number
  readonly peakMemoryMb: number
  /** Bytes in the topic, as the broker stores them. */
  readonly bytesPerEvent: number
  readonly profile: readonly ProfileEntry[]
}

const DATABASE = 'bench'
const TOPIC = `${DATABASE}.${DATABASE}.customers`
const CONNECTED = /Connected to binlog at/

export async function drain(args: readonly string[]): Promise<DrainResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      events: { type: 'string', default: '500000' },
      mariadb: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      top: { type: 'string', default: '3' },
    },
  })
  const events = Number(values.events)
  await using stack = new AsyncDisposableStack()
  const kafka = stack.use(await startKafka({ profile: 'bench' }))
  const database = stack.use(
    values.mariadb ? await startMariaDb({ profile: 'bench' }) : await startMySql({ profile: 'bench', gtid: true }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const { bootstrapServers } = kafka
  await createTable(database, DATABASE)
  const nodeArgs = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
  const service = stack.use(await startService({ bootstrapServers, nodeArgs }))
  await service.register('bench', connectorConfig({ database, bootstrapServers, prefix: DATABASE, includes: DATABASE }))
  await service.waitForLog(CONNECTED)
  await service.stop()
  for (const name of values.profile ? [folder] : []) rmSync(name, { recursive: true })
  console.error(`making ${events} events …`)
  await makeSmallTransactions(database, { events, database: DATABASE })
  console.error('draining …')
  const measured = await measure(service, bootstrapServers, events)
  const bytes = await logBytes(bootstrapServers, TOPIC)
  await service.stop()
  return {
    ...measured,
    bytesPerEvent: Math.round(bytes / events),
    profile: values.profile ? largestEntries(folder, Number(values.top)) : [],
  }
}

type Measured = Omit<DrainResult, 'profile' | 'bytesPerEvent'>

async function measure(service: Service, bootstrapServers: readonly string[], events: number): Promise<Measured> {
  const logged = service.log.length
  await service.start()
  await service.waitForLog(CONNECTED, logged)
  const begin = performance.now()
  const processorBegin = processorSeconds(service.pid)
  await waitForEnd(bootstrapServers, events)
  const seconds = (performance.now() - begin) / 1000
  const processor = processorSeconds(service.pid) - processorBegin
  return {
    events,
    seconds,
    eventsPerSecond: Math.round(events / seconds),
    processorSecondsPerMillion: (processor / events) * 1e6,
    peakMemoryMb: peakMemoryMb(service.pid),
  }
}

/** Asks the broker where the topic ends: that costs nobody anything that counts. */
async function waitForEnd(bootstrapServers: readonly string[], events: number): Promise<void> {
  const kafka = kafkaClient(bootstrapServers)
  await using admin = kafka.admin()
  await eventually('the topic exists', async () => (await admin.describeTopic(TOPIC)) !== null, { everyMs: 50 })
  await using reader = await kafka.reader({ topic: TOPIC, from: 'latest' })
  const isThere = async (): Promise<boolean> => ((await reader.endOffsets()).get(0) ?? 0n) >= BigInt(events)
  await eventually(`${events} events are in the topic`, isThere, { timeoutMs: 600_000, everyMs: 50 })
}
