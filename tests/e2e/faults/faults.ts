import assert from 'node:assert/strict'
import { systemClock } from '@tributary/support'
import { eventually, type FaultProxy, kafkaClient } from '@tributary/testkit'
import type { FaultRun } from './fault-run.ts'
import { reassign } from './move-leaders.ts'

/** The broker stops cleanly, stays down, and restarts on the same port with the same data. */
export async function brokerAway({ kafka }: FaultRun, outageMs: number): Promise<void> {
  const [broker] = kafka.brokers
  assert.ok(broker)
  await broker.stop()
  await systemClock.sleep(outageMs)
  await broker.start()
}

/**
 * Requires more in-sync replicas than the topic has. A broker that counts them refuses every batch with
 * NOT_ENOUGH_REPLICAS; Kafka 4 never requires more than the topic has, and continues. Returns the number of reported
 * waits.
 */
export async function tooFewReplicas({ kafka, topic, service }: FaultRun, outageMs: number): Promise<number> {
  await using admin = (await kafkaClient(kafka.bootstrapServers)).admin()
  await admin.alterTopicConfig(topic, { 'min.insync.replicas': '2' })
  await systemClock.sleep(outageMs)
  await admin.alterTopicConfig(topic, { 'min.insync.replicas': '1' })
  return service.log.split('fails with NOT_ENOUGH_REPLICAS').length - 1
}

/** One of three brokers is killed while all three replicas are required: NOT_ENOUGH_REPLICAS until it is back. */
export async function replicaAway({ kafka, topic, service }: FaultRun, outageMs: number): Promise<void> {
  await using admin = (await kafkaClient(kafka.internalServers)).admin()
  const [, , broker] = kafka.brokers
  assert.ok(broker)
  await admin.alterTopicConfig(topic, { 'min.insync.replicas': '3' })
  await broker.kill('SIGKILL')
  await service.waitForLog(/fails with NOT_ENOUGH_REPLICAS/, 0, 120_000)
  await systemClock.sleep(outageMs)
  await broker.start()
}

/** The server is killed and restarted at once. */
export async function databaseKilled({ database }: FaultRun): Promise<void> {
  await database.kill('SIGKILL')
  await database.start()
}

/** Every partition gets another leader, repeatedly. Returns the number of leaders that moved. */
export async function leadersMoved({ kafka, topic }: FaultRun, durationMs: number, everyMs: number): Promise<number> {
  const untilMs = systemClock.now() + durationMs
  const [server] = kafka.internalServers
  assert.ok(server)
  await using admin = (await kafkaClient(kafka.internalServers)).admin()
  const leaders = async (): Promise<readonly number[]> =>
    (await admin.describeTopic(topic))?.partitions.map(({ leader }) => leader) ?? []
  let moved = 0
  while (systemClock.now() < untilMs) {
    const before = await leaders()
    const others = before.map((leader, partition) => ({
      partition,
      replicas: BROKER_IDS.filter((id) => id !== leader),
    }))
    await reassign(server, topic, others)
    await eventually(
      'every leader has moved',
      async () => (await leaders()).every((id, i) => id > 0 && id !== before[i]),
      {
        timeoutMs: 60_000,
        everyMs: 200,
      },
    )
    moved += before.length
    // The old leader comes back as a follower.
    await reassign(
      server,
      topic,
      others.map(({ partition, replicas }) => ({ partition, replicas: [...replicas, before[partition] ?? 1] })),
    )
    await systemClock.sleep(everyMs)
  }
  return moved
}

const BROKER_IDS = [1, 2, 3]

/** The places where a connection is cut. */
export type CutSide = 'database' | 'broker'

/**
 * Cuts every connection of one side after a random number of bytes, and waits until that has happened and new
 * connections exist. Every third cut is at the start of a connection: in the login or the queries before the dump.
 *
 * @param rowBytesMax of the database, while rows of the snapshot are read
 */
export async function cutAtRandomByte(
  run: FaultRun,
  side: CutSide,
  number: number,
  rowBytesMax: number = ROW_BYTES,
): Promise<void> {
  const proxy = side === 'database' ? run.proxy : run.kafka.proxies[0]
  assert.ok(proxy)
  if (number % 3 === 2) await cutAtBeginning(run, proxy)
  else await cutLater(run, proxy, rowBytesMax)
}

async function cutLater(run: FaultRun, proxy: FaultProxy, rowBytesMax: number): Promise<void> {
  const { accepted } = proxy
  const isDatabase = proxy === run.proxy
  // Brokers receive much and send little.
  const direction = isDatabase ? 'fromTarget' : run.random.pick(['fromTarget', 'toTarget'] as const)
  const bytesMax = isDatabase ? (run.isSnapshotOver ? EVENT_BYTES : rowBytesMax) : BROKER_BYTES[direction]
  proxy.cutAfterBytes(run.random.integer(1, bytesMax), direction)
  await eventually('new connections are made', () => proxy.accepted > accepted, { timeoutMs: 120_000 })
}

async function cutAtBeginning(run: FaultRun, proxy: FaultProxy): Promise<void> {
  const { accepted } = proxy
  const direction = run.random.pick(['fromTarget', 'toTarget'] as const)
  proxy.cutAfterBytes(run.random.integer(1, BEGINNING_BYTES[direction]), direction)
  proxy.cut()
  // One that is cut at its start, and one after it.
  await eventually('new connections are made', () => proxy.accepted >= accepted + 2, { timeoutMs: 120_000 })
}

/** The bytes of one or two seconds of the load. */
const EVENT_BYTES = 40_000
/** Most of the rows of a snapshot of 20,000. */
const ROW_BYTES = 600_000
const BROKER_BYTES = { toTarget: 100_000, fromTarget: 3000 } as const
/** A login to a database, and some of the queries after it. */
const BEGINNING_BYTES = { fromTarget: 1500, toTarget: 400 } as const
