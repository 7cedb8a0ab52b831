/**
 * Three workers and ten connectors under load through what happens to groups, on one broker and on three: how long
 * events wait, events repeated and lost, and connectors that two workers run at the same time. The workers are the
 * packed release: a task's thread that strips types from its sources needs seconds on a busy machine.
 *
 *     GROUP_RUNS=20 npm run test:full -- --hours 3 workers.full
 *
 * GROUP_BROKERS=3 and GROUP_FAULTS='kill -9' choose a part. GROUP_LOGS is a folder for the logs of the workers and the
 * table so far. On a machine that is busy with other work, GROUP_SLOWNESS=4 multiplies the limits of time; the others
 * stay.
 */
import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually, startKafka, startMySql } from '@tributary/testkit'
import { packWorkspace } from '../../bench/systems/artefact.ts'
import { Crew } from './workers/crew.ts'
import { DumpWatch } from './workers/dump-watch.ts'
import { faults, type Fault, type Scene } from './workers/faults.ts'
import { Machines, machinesUnavailable } from './workers/machines.ts'
import { tableOf, type Occasion } from './workers/occasions.ts'

const { GROUP_RUNS, GROUP_SLOWNESS, GROUP_BROKERS, GROUP_FAULTS = '', GROUP_LOGS } = process.env
const RUNS = Number(GROUP_RUNS ?? 1)
const SLOWNESS = Number(GROUP_SLOWNESS ?? 1)
const CONNECTORS = 10
const WORKERS = 3
const SESSION_MS = 6_000
const ENV = { CONNECT_SESSION_TIMEOUT_MS: String(SESSION_MS), CONNECT_HEARTBEAT_INTERVAL_MS: '1000' }
/** Until a worker's tasks run elsewhere. */
const SESSION_LIMIT_S = SESSION_MS / 1000 + 5
/** Between the rows of each connector. */
const LOAD_EVERY_MS = 200
const TIMEOUT_MS = 120_000 * SLOWNESS

for (const brokers of [1, 3] as const) {
  const skip = GROUP_BROKERS !== undefined && Number(GROUP_BROKERS) !== brokers
  describe(`on ${brokers} broker${brokers === 1 ? '' : 's'}`, { skip: skip || machinesUnavailable }, () => {
    test('no event is lost, no connector runs twice, and all stream again in time', async (t) => {
      await using release = await packWorkspace()
      await using machines = await Machines.create(WORKERS)
      const { brokersAddress: host, othersAddress } = machines
      await using database = await startMySql({ args: [`--bind-address=127.0.0.1,${othersAddress}`] })
      await using kafka = await startKafka({ brokers, host })
      const { bootstrapServers } = kafka
      const size = { replicas: brokers, workers: WORKERS, connectors: CONNECTORS }
      const { entry } = release
      await using crew = await Crew.start({ ...size, database, bootstrapServers, machines, entry, env: ENV })
      await using _load = crew.load(LOAD_EVERY_MS)
      await using dumps = new DumpWatch(database)
      const chosen = faults.filter(([name]) => new RegExp(GROUP_FAULTS).test(name))
      const occasions: Occasion[] = []
      for (let run = 0; run < RUNS; run += 1) {
        for (const [name, fault] of chosen) {
          const scene = { crew, kafka, machines, run, slowness: SLOWNESS }
          occasions.push(await observed(name, dumps, scene, (found) => suffer(fault, scene, found)))
          save(crew, tableOf(brokers, occasions))
        }
      }
      for (const line of tableOf(brokers, occasions).trimEnd().split('\n')) t.diagnostic(line)
      for (const [name, , limit] of chosen) {
        const limitS = (limit === 'session' ? SESSION_LIMIT_S : limit) * SLOWNESS
        await t.test(name, () => {
          for (const occasion of occasions.filter(({ fault }) => fault === name)) requireHarmless(occasion, limitS)
        })
      }
    })
  })
}

function requireHarmless(occasion: Occasion, limitS: number): void {
  const { error, missing, doubleWriters, doubleReaders, leftOvers, seconds } = occasion
  assert.equal(error, null)
  assert.deepEqual({ missing, doubleWriters, doubleReaders }, { missing: [], doubleWriters: [], doubleReaders: [] })
  for (const left of leftOvers) assert.ok(left.seconds < SLOWNESS, `${left.user}: ${left.seconds} s`)
  assert.ok(seconds <= limitS, `${seconds} s`)
}

/** What a fault reports while it takes place. */
interface Found {
  seconds: number
  secondsAfter: number
  /** The address of the worker that still reaches the database, but not its group. */
  victim: string | null
}

async function observed(
  fault: string,
  dumps: DumpWatch,
  { crew, run }: Scene,
  happen: (found: Found) => Promise<void>,
): Promise<Occasion> {
  const before = stateOf(crew)
  const found: Found = { seconds: Infinity, secondsAfter: Infinity, victim: null }
  dumps.take()
  let error: string | null = null
  try {
    log(`${fault}, run ${run}`)
    await happen(found)
  } catch (thrown) {
    error = String(thrown)
  }
  const after = stateOf(crew)
  const overlaps = dumps.take()
  const isLeftOver = ({ addresses }: { addresses: readonly string[] }): boolean =>
    found.victim !== null && addresses.includes(found.victim)
  const occasion = {
    fault,
    seconds: found.seconds,
    secondsAfter: found.secondsAfter,
    repeats: after.repeats - before.repeats,
    missing: after.missing.filter((each) => !before.missing.includes(each)),
    doubleWriters: after.doubleWriters.filter((each) => !before.doubleWriters.includes(each)),
    doubleReaders: overlaps.filter((each) => !isLeftOver(each)),
    leftOvers: overlaps.filter(isLeftOver),
    error,
  }
  log(JSON.stringify(occasion))
  return occasion
}

async function suffer(fault: Fault, scene: Scene, found: Found): Promise<void> {
  const { crew } = scene
  await eventually('the work is shared', () => isShared(crew), { timeoutMs: TIMEOUT_MS })
  await crew.untilStreaming(TIMEOUT_MS)
  const from = crew.last + 1
  const { repair, victim, isConnected } = await fault(scene)
  log(`caused ${victim?.workerId ?? ''}`)
  found.victim = isConnected === true ? (victim?.workerId.split(':')[0] ?? null) : null
  await crew.untilStreaming(TIMEOUT_MS)
  found.seconds = crew.longestDelay(from, crew.complete)
  const other = crew.workers.find((worker) => worker !== victim)
  const counts = await crew.tasksByWorker(other)
  if (victim !== undefined) assert.equal(counts[victim.workerId], undefined, 'nothing is RUNNING where it is not')
  const repairFrom = crew.last + 1
  await repair?.()
  await eventually('the work is shared again', () => isShared(crew), { timeoutMs: TIMEOUT_MS })
  await crew.untilStreaming(TIMEOUT_MS)
  found.secondsAfter = crew.longestDelay(repairFrom, crew.complete)
}

async function isShared(crew: Crew): Promise<boolean> {
  const numbers = Object.values(await crew.tasksByWorker())
  const all = numbers.reduce((sum, count) => sum + count, 0)
  return all === CONNECTORS && numbers.length === WORKERS && Math.max(...numbers) - Math.min(...numbers) <= 1
}

function stateOf(crew: Crew): Pick<Occasion, 'repeats' | 'missing' | 'doubleWriters'> {
  const audits = [...crew.audit()]
  return {
    repeats: audits.reduce((sum, [, { repeats }]) => sum + repeats, 0),
    missing: audits.flatMap(([name, { missing }]) => missing.map((id) => `${name}: ${id}`)),
    doubleWriters: audits.flatMap(([name, each]) => each.doubleWriters.map((what) => `${name}: ${what}`)),
  }
}

function save(crew: Crew, table: string): void {
  if (GROUP_LOGS === undefined) return
  writeFileSync(join(GROUP_LOGS, 'table.txt'), table)
  for (const { logFile, port } of crew.workers) copyFileSync(logFile, join(GROUP_LOGS, `${port}.log`))
}

function log(line: string): void {
  if (GROUP_LOGS !== undefined) appendFileSync(join(GROUP_LOGS, 'test.log'), `${new Date().toISOString()} ${line}\n`)
}
