import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outage, silentLogger } from '@tributary/support'
import { fakeClock, type FakeClock } from '@tributary/testkit'
import { kafkaErrors } from '../api/errors.ts'
import { ProducerStats } from '../api/producer-stats.ts'
import { ProduceLoop } from '../producer/produce-loop.ts'
import { SendWindow } from '../producer/send-window.ts'
import { testKafka } from '../testing/clients.ts'
import { testPartition } from '../testing/test-partition.ts'

// The default of reconnect.backoff.max.ms of Kafka's clients is 1,000 ms, with a fifth of it at random (KIP-144).
const LONGEST_MS = 1_000
const SHORTEST_MS = 800
const OUTAGE_MS = 60_000

test('a client that waits for metadata tries to connect every second, however long the outage is', async () => {
  const clock = fakeClock()
  const attempts = new Attempts(clock)
  await using admin = testKafka(['broker:9092'], { clock, openSocket: () => attempts.refuse() }).admin()
  const end = new AbortController()

  const described = admin.describeTopic('orders', end.signal).catch(() => undefined)
  await clock.advance(OUTAGE_MS)

  attempts.requireRegular()
  end.abort()
  await described
})

test('a producer with a batch for a broker tries to connect every second, however long the outage is', async () => {
  const clock = fakeClock()
  const attempts = new Attempts(clock)
  const end = new AbortController()
  const loop = new ProduceLoop({
    nodeId: 1,
    pool: { connectionTo: () => attempts.refuse() },
    clock,
    stats: new ProducerStats(),
    outage: new Outage(silentLogger, clock, 'writing'),
    mayWrite: () => true,
    signal: end.signal,
    acknowledgeTimeoutMs: 1_000,
    onResponse: () => assert.fail('nothing was sent'),
    onUnreachable: () => undefined,
    onFailure: (error) => assert.ifError(error),
  })
  const running = loop.run()

  loop.add(testPartition(new SendWindow()))
  await clock.advance(OUTAGE_MS)

  attempts.requireRegular()
  end.abort()
  await running
})

/** Attempts to connect to a broker that does not run. */
class Attempts {
  readonly #clock: FakeClock
  readonly #atMs: number[] = []

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  refuse(): Promise<never> {
    this.#atMs.push(this.#clock.now())
    return Promise.reject(kafkaErrors.BROKER_UNREACHABLE({ broker: 'broker:9092', reason: 'refused' }))
  }

  /** After the first second. */
  requireRegular(): void {
    const pauses = this.#atMs.slice(1).map((atMs, i) => atMs - (this.#atMs[i] ?? 0))
    const late = pauses.slice(6)
    assert.ok(late.length > OUTAGE_MS / LONGEST_MS - 10, `${pauses.length} pauses`)
    for (const pause of late) assert.ok(pause >= SHORTEST_MS && pause <= LONGEST_MS, `a pause of ${pause} ms`)
  }
}
