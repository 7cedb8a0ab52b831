/**
 * Three workers and ten connectors through what happens to groups, on one broker and on three: seconds until every
 * connector streams again, events repeated and lost, and tasks that run on two workers.
 *
 *     GROUP_RUNS=20 npm run test:full -- workers.full
 *
 * On a machine that is busy with other work, GROUP_SLOWNESS=4 multiplies the limits of time; the others stay.
 */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { eventually, type KafkaServer, type Service, startKafka, useMySql } from '@tributary/testkit'
import { Crew, idOfWorker } from './workers/crew.ts'

const RUNS = Number(process.env['GROUP_RUNS'] ?? 1)
const SLOWNESS = Number(process.env['GROUP_SLOWNESS'] ?? 1)
const CONNECTORS = 10
const SESSION_MS = 6_000
const ENV = { CONNECT_SESSION_TIMEOUT_MS: String(SESSION_MS), CONNECT_HEARTBEAT_INTERVAL_MS: '1000' }
/** Until a worker's tasks run elsewhere. */
const LIMIT_S = SESSION_MS / 1000 + 5
const WRITES = 200

/** Causes something, and resolves when it is over for the group: then every connector must stream. */
type Fault = (crew: Crew, kafka: KafkaServer, run: number) => Promise<{ readonly repair?: () => Promise<void> }>

const killed: Fault = async (crew) => {
  const victim = await workerOf(crew, (worker, leader) => worker !== leader)
  await victim.kill()
  return { repair: () => victim.start() }
}

const leaderKilled: Fault = async (crew) => {
  const victim = await workerOf(crew, (worker, leader) => worker === leader)
  await victim.kill()
  return { repair: () => victim.start() }
}

const frozen: Fault = async (crew) => {
  const victim = await workerOf(crew, (worker, leader) => worker !== leader)
  const log = victim.log.length
  process.kill(victim.pid, 'SIGSTOP')
  return {
    repair: async () => {
      process.kill(victim.pid, 'SIGCONT')
      await victim.waitForLog(/Joined group .* again/, log)
    },
  }
}

const stopped: Fault = async (crew) => {
  const victim = await workerOf(crew, () => true)
  await victim.stop()
  return { repair: () => victim.start() }
}

/** One of the brokers coordinates the group. */
const brokerLost: Fault = async (_crew, kafka, run) => {
  const broker = kafka.brokers[run % kafka.brokers.length]
  await broker?.kill('SIGKILL')
  return { repair: async () => broker?.start() }
}

const rollingRestart: Fault = async (crew) => {
  for (const worker of crew.workers) {
    await worker.stop()
    await worker.start()
  }
  return {}
}

/** Writes on all workers while one of them stops and another one starts. */
const configStorm: Fault = async (crew) => {
  const [first, second, third] = [crew.worker(0), crew.worker(1), crew.worker(2)]
  const stopping = third.stop()
  const writes = Array.from({ length: WRITES }, async (_, i) => {
    const name = crew.connectors[i % CONNECTORS] ?? ''
    const config = { ...crew.config(name), 'max.batch.size': String(2_000 + Math.floor(i / CONNECTORS)) }
    const worker = i % 2 === 0 ? first : second
    return eventually(
      `write ${i} is accepted`,
      async () => (await worker.rest('PUT', `/connectors/${name}/config`, config)).status === 200,
      { timeoutMs: 60_000 * SLOWNESS, everyMs: 250 },
    )
  })
  await stopping
  const starting = third.start()
  await Promise.all([...writes, starting])
  return {}
}

const faults: readonly (readonly [name: string, fault: Fault, limitS: number])[] = [
  ['kill -9 of a worker', killed, LIMIT_S],
  ['kill -9 of the leader', leaderKilled, LIMIT_S],
  ['a worker frozen beyond its session', frozen, LIMIT_S],
  ['SIGTERM', stopped, SESSION_MS / 1000],
  ['a broker lost', brokerLost, 60],
  ['a rolling restart', rollingRestart, 60],
  [`${WRITES} writes during a rebalance`, configStorm, 120],
]

for (const brokers of [1, 3] as const) {
  describe(`on ${brokers} broker${brokers === 1 ? '' : 's'}`, () => {
    test('no event is lost, no connector runs twice, and all stream again in time', async (t) => {
      const database = await useMySql()
      await using kafka = await startKafka({ brokers })
      const { bootstrapServers } = kafka
      const options = { database, bootstrapServers, replicas: brokers, workers: 3, connectors: CONNECTORS, env: ENV }
      await using crew = await Crew.start(options)
      for (const [name, fault, limitS] of faults) {
        const seconds: number[] = []
        for (let run = 0; run < RUNS; run += 1) {
          // With one broker, its loss is an outage of everything: tasks wait for it.
          const isOutage = fault === brokerLost && brokers === 1
          seconds.push(await suffer(crew, { fault, kafka, run, isOutage }))
        }
        report(t, name, seconds, crew)
        assert.ok(Math.max(...seconds) <= limitS * SLOWNESS, `${name}: ${seconds.join(', ')} s`)
        for (const [connector, { missing }] of crew.audit()) assert.deepEqual(missing, [], `${name}: ${connector}`)
      }
    })
  })
}

interface Occasion {
  readonly fault: Fault
  readonly kafka: KafkaServer
  readonly run: number
  readonly isOutage: boolean
}

async function suffer(crew: Crew, { fault, kafka, run, isOutage }: Occasion): Promise<number> {
  await eventually('the work is shared', async () => isShared(await crew.tasksByWorker()), {
    timeoutMs: 60_000 * SLOWNESS,
  })
  const beganMs = performance.now()
  const { repair } = await fault(crew, kafka, run)
  if (isOutage) await repair?.()
  await crew.untilStreaming(90_000 * SLOWNESS)
  const seconds = (performance.now() - beganMs) / 1000
  const before = crew.records()
  if (!isOutage) await repair?.()
  await crew.untilStreaming(90_000 * SLOWNESS)
  // What a worker sends when it wakes, or has in flight when it is replaced, would arrive before this row.
  assert.equal(crew.records() - before, CONNECTORS, 'the repair has repeated events')
  return seconds
}

function isShared(counts: Readonly<Record<string, number>>): boolean {
  const numbers = Object.values(counts)
  const all = numbers.reduce((sum, count) => sum + count, 0)
  return all === CONNECTORS && numbers.length === 3 && Math.max(...numbers) - Math.min(...numbers) <= 1
}

/** A worker that runs tasks and about whose leadership the condition holds. */
async function workerOf(crew: Crew, condition: (worker: Service, leader: Service) => boolean): Promise<Service> {
  const leaders = crew.workers.flatMap(({ log }) => log.match(/leader http:\/\/127\.0\.0\.1:\d+/g)?.at(-1) ?? [])
  const newest = leaders.at(-1)?.split(':').at(-1)
  const leader = crew.workers.find(({ port }) => String(port) === newest) ?? crew.worker(0)
  const counts = await crew.tasksByWorker(leader)
  const found = crew.workers.find((worker) => condition(worker, leader) && (counts[idOfWorker(worker)] ?? 0) > 0)
  if (found === undefined) throw new Error('no such worker runs tasks')
  return found
}

function report(t: TestContext, name: string, seconds: readonly number[], crew: Crew): void {
  const sorted = seconds.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const audits = [...crew.audit().values()]
  const sum = (of: (audit: (typeof audits)[number]) => number): number =>
    audits.reduce((all, each) => all + of(each), 0)
  t.diagnostic(
    `${name}: ${sorted.length} times, all stream again after ${median.toFixed(1)} s (median), ${(sorted.at(-1) ?? 0).toFixed(1)} s (maximum); so far ${sum(({ repeats }) => repeats)} repeats, ${sum(({ missing }) => missing.length)} losses`,
  )
}
