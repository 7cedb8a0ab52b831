import { temporaryFolder, type Database, type Service } from '@tributary/testkit'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FigureList, type BenchOptions, type Figure } from '../bench.ts'
import { createNumbers } from '../load/numbers.ts'
import { logBytes } from '../measure/log-bytes.ts'
import { peakMemoryMb, processorSeconds } from '../measure/process-usage.ts'
import { largestEntries } from '../measure/profile.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic, type ExpectedRecords } from '../measure/verify-topic.ts'
import { CONNECTED, CONNECTED_WITHIN_MS, Rig } from '../rig.ts'

/** A backlog: what happens while no service runs, and what must come out of it. */
export interface Backlog {
  readonly bench: string
  readonly database: string
  /** Before any service has seen the database. */
  create(server: Database): Promise<void>
  /** While the services are down. */
  fill(server: Database): Promise<void>
  /** Rows changed. */
  readonly changes: number
  /** What the topics of a connector must hold afterwards. */
  expected(prefix: string): ReadonlyMap<string, ExpectedRecords>
}

/**
 * How fast a service catches up with a backlog, from its connection to the binlog until the last record is in its topic. The backlog is
 * made once: each run has a service and a connector of its own, which saw the database before.
 */
export async function drainBacklog(backlog: Backlog, options: BenchOptions): Promise<readonly Figure[]> {
  const { bench, database } = backlog
  const list = new FigureList(bench)
  await using profiles = temporaryFolder('profile')
  const nodeArgs = options.profileEntries > 0 ? ['--cpu-prof', `--cpu-prof-dir=${profiles.path}`] : []
  await using rig = await Rig.start({ ...options, nodeArgs })
  await createNumbers(rig.database)
  await backlog.create(rig.database)
  const services: Service[] = []
  for (let run = 0; run < options.runs; run++) {
    services.push(await rig.stoppedService({ prefix: `${bench}${run}`, includes: database }))
  }
  options.note(`${bench}: making ${backlog.changes.toLocaleString('en')} changes …`)
  await backlog.fill(rig.database)
  // The profiles of the runs so far are not of what is measured.
  for (const name of readdirSync(profiles.path)) rmSync(join(profiles.path, name))
  for (const service of services) {
    options.note(`${bench}: draining …`)
    await drain({ rig, service, backlog, list })
  }
  for (const { what, share } of largestEntries(profiles.path, options.profileEntries)) {
    options.note(`${(share * 100).toFixed(1).padStart(5)} %  ${what}`)
  }
  return list.figures
}

interface DrainRun {
  readonly rig: Rig
  readonly service: Service
  readonly backlog: Backlog
  readonly list: FigureList
}

async function drain({ rig, service, backlog, list }: DrainRun): Promise<void> {
  const { bootstrapServers } = rig
  const { changes } = backlog
  const expected = backlog.expected(service.name)
  const records = [...expected.values()].flatMap((counts) => Object.values(counts)).reduce((a, b) => a + b, 0)
  await using ends = new TopicEnds(bootstrapServers, [...expected.keys()])
  const logged = service.log.length
  await service.start()
  await service.waitForLog(CONNECTED, logged, CONNECTED_WITHIN_MS)
  const begin = performance.now()
  const processorBegin = processorSeconds(service.pid)
  await ends.waitFor(records)
  const seconds = (performance.now() - begin) / 1000
  const processor = processorSeconds(service.pid) - processorBegin
  list.add('changes', '1/s', changes / seconds)
  list.add('records', '1/s', records / seconds)
  list.add('processor time', 's per million records', (processor / records) * 1e6)
  list.add('peak memory', 'MB', peakMemoryMb(service.pid))
  await service.stop()
  let bytes = 0
  for (const [topic, counts] of expected) {
    await verifyTopic(bootstrapServers, topic, counts)
    bytes += await logBytes(bootstrapServers, topic)
  }
  list.add('size in the topic', 'bytes per record', bytes / records)
}
