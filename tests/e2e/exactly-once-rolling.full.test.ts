/**
 * Three workers with ten connectors are rolled from delivery at least once to exactly once, while all of them accept
 * changes of configurations.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, type Service, useKafka, useMySql } from '@tributary/testkit'
import { Crew, type ConnectorStatus } from './workers/crew.ts'

const CONNECTORS = 10
/** Milliseconds. The machine may be busy with other tests. */
const STREAMING = 240_000
const EXACTLY_ONCE = 'CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT'

test('a group that is rolled to exactly-once delivery refuses no write for another reason than a rebalance, and fails no connector', async (t) => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const env = { CONNECT_SESSION_TIMEOUT_MS: '6000', CONNECT_HEARTBEAT_INTERVAL_MS: '1000' }
  await using crew = await Crew.start({ database, bootstrapServers, workers: 3, connectors: CONNECTORS, env })
  const watch = new GroupWatch(crew)
  for (const support of ['preparing', 'enabled']) {
    crew.env[EXACTLY_ONCE] = support
    for (const worker of crew.workers) {
      await watch.during(async () => {
        await worker.stop()
        await worker.start()
      })
      await crew.untilStreaming(STREAMING)
    }
  }
  // All write the first record of each connector's new set of tasks at the same time.
  await watch.during(async () => {
    await Promise.all(crew.workers.map((worker) => worker.stop()))
    await Promise.all(crew.workers.map((worker) => worker.start()))
    await storm(crew, watch)
  })
  await crew.untilStreaming(STREAMING)
  t.diagnostic(`answers to writes: ${JSON.stringify(Object.fromEntries(watch.answers))}`)
  assert.deepEqual(watch.wrong, [])
  for (const name of crew.connectors) assert.deepEqual(failures(await crew.status(name)), [], name)

  const before = repeats(crew)
  await crew.worker(1).kill()
  await crew.untilStreaming(STREAMING)
  assert.equal(repeats(crew), before, 'the kill has repeated events')
  for (const [name, { missing, doubleWriters }] of crew.audit()) {
    assert.deepEqual({ missing, doubleWriters }, { missing: [], doubleWriters: [] }, name)
  }
})

function repeats(crew: Crew): number {
  return [...crew.audit().values()].reduce((sum, audit) => sum + audit.repeats, 0)
}

/** Each worker changes each connector, all at once. */
async function storm(crew: Crew, watch: GroupWatch): Promise<void> {
  await Promise.all(
    crew.workers.flatMap((worker, i) =>
      crew.connectors.map((name) =>
        eventually(`worker ${i} changes ${name}`, () => watch.write(worker, name, 2_000 + i), {
          timeoutMs: STREAMING,
          everyMs: 250,
        }),
      ),
    ),
  )
}

/** Changes configurations on all workers, and reads the states of all connectors, while something happens to them. */
class GroupWatch {
  /** How often each status was the answer to a write. */
  readonly answers = new Map<number, number>()
  /** Answers and states that must not be. */
  readonly wrong: string[] = []
  readonly #crew: Crew
  #isOver = true

  constructor(crew: Crew) {
    this.#crew = crew
  }

  async during(work: () => Promise<void>): Promise<void> {
    this.#isOver = false
    const loops = Promise.all(this.#crew.workers.map((worker, i) => this.#watch(worker, i)))
    try {
      await work()
    } finally {
      this.#isOver = true
      await loops
    }
  }

  async #watch(worker: Service, index: number): Promise<void> {
    const { connectors } = this.#crew
    for (let round = index * 3; !this.#isOver; round += 1) {
      const name = connectors[round % connectors.length] ?? ''
      try {
        await this.write(worker, name, 1_000 + (round % 1_000))
        await this.#read(worker, name)
      } catch (error) {
        // It has stopped or does not listen yet.
        if (!(error instanceof TypeError)) throw error
      }
      await sleep(200)
    }
  }

  /** False: it was refused for a rebalance, or a worker starts or stops. */
  async write(worker: Service, name: string, batchSize: number): Promise<boolean> {
    const config = { ...this.#crew.config(name), 'max.batch.size': String(batchSize) }
    const { status, text } = await worker.rest('PUT', `/connectors/${name}/config`, config)
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
    if (!isExpected(status, text)) this.wrong.push(`${worker.port} PUT ${name}: ${status} ${text}`)
    return status === 200
  }

  async #read(worker: Service, name: string): Promise<void> {
    const { status, json, text } = await worker.rest('GET', `/connectors/${name}/status`)
    if (![200, 503].includes(status)) this.wrong.push(`${worker.port} GET ${name}: ${status} ${text}`)
    else if (status === 200)
      this.wrong.push(...failures(json as ConnectorStatus).map((trace) => `${worker.port} ${name}: ${trace}`))
  }
}

/** As Connect, a worker answers 500 when it, or the leader to which it has forwarded the request, ends meanwhile. */
function isExpected(status: number, text: string): boolean {
  if (status === 500) return /Worker is shutting down|IO Error trying to forward REST request/.test(text)
  // A rebalance; a worker that is starting.
  return [200, 409, 503].includes(status)
}

function failures({ connector, tasks }: ConnectorStatus): readonly string[] {
  return [connector, ...tasks].filter(({ state }) => state === 'FAILED').map(({ trace }) => trace ?? 'without a trace')
}
