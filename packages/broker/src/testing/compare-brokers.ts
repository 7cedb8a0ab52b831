import assert from 'node:assert/strict'
import { present } from '@tributary/support'
import { eventually, seededRandom, uniqueName, useRealKafka } from '@tributary/testkit'
import { startBroker } from '../shell/start-broker.ts'
import { ComparedBroker } from './compared-broker.ts'
import { RandomSteps, TOPICS } from './random-step.ts'
import { RawClient } from './raw-client.ts'
import type { Step } from './step.ts'

export interface Comparison {
  /** Of the first sequence; the others follow it. */
  readonly seed: number
  readonly sequences: number
  /** Per sequence. */
  readonly steps: number
  /** Sequences at the same time, each on connections of its own. Default 1. */
  readonly atOnce?: number
  /** `host:port` of Kafka. Default: the shared one. */
  readonly kafka?: string
  /** Default: the first difference is an error. Otherwise it is passed on, and the next sequence begins. */
  readonly onDifference?: (difference: Difference) => void
  /** Called after each sequence with the number of its steps. */
  readonly onSequence?: (steps: number) => void
}

export interface Difference {
  readonly seed: number
  /** The step whose answers differ. */
  readonly step: string
  /** The whole sequence and both answers. */
  readonly text: string
}

/** Sends the same random requests to Kafka and to a broker, and compares their answers. */
export async function compareBrokers(comparison: Comparison): Promise<void> {
  const { seed, sequences, atOnce = 1, onDifference, onSequence } = comparison
  await using broker = await startBroker()
  const kafka = comparison.kafka ?? present((await useRealKafka()).bootstrapServers[0], 'the address of Kafka')
  const servers = [kafka, broker.bootstrapServers] as const
  for (const server of servers) await waitForCoordinators(server)
  let next = seed
  const compareMany = async (): Promise<void> => {
    while (next < seed + sequences) {
      const { steps, difference } = await compareSequence(next++, comparison.steps, servers)
      onSequence?.(steps)
      if (difference === null) continue
      if (onDifference === undefined) assert.fail(difference.text)
      onDifference(difference)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, compareMany))
}

interface SequenceResult {
  readonly steps: number
  readonly difference: Difference | null
}

async function compareSequence(
  seed: number,
  steps: number,
  [kafka, server]: readonly [string, string],
): Promise<SequenceResult> {
  const prefix = uniqueName('compare')
  const source = new RandomSteps(seededRandom(seed), prefix)
  await using real = await RawClient.connect(kafka)
  await using own = await RawClient.connect(server)
  const [one, other] = [new ComparedBroker(real), new ComparedBroker(own)]
  const done: string[] = []
  let difference: Difference | null = null
  while (done.length < steps && difference === null) {
    const next = source.next()
    done.push(next.text)
    const [expected, actual] = await Promise.all([outcome(next, one), outcome(next, other)])
    try {
      assert.deepEqual(actual, expected)
      if (actual === CLOSED) break
    } catch (error) {
      const text = `seed ${seed}\n${done.join('\n')}\n${String(error)}`
      difference = { seed, step: next.text.replaceAll(prefix, ''), text }
    }
  }
  // A long run would otherwise leave a hundred thousand partitions.
  for (const client of [real, own]) await deleteTopics(client, prefix)
  return { steps: done.length, difference }
}

/** Of a sequence. A closed connection is a step's own outcome. */
async function deleteTopics(client: RawClient, prefix: string): Promise<void> {
  if (client.isClosed) return
  await client.send('DeleteTopics', 5, { topicNames: TOPICS.map((name) => `${prefix}.${name}`), timeoutMs: 10_000 })
}

/** A new Kafka has no coordinators until the first request for one. */
export async function waitForCoordinators(server: string): Promise<void> {
  await using client = await RawClient.connect(server)
  await eventually(`${server} has coordinators`, async () => {
    for (const keyType of [0, 1]) await client.send('FindCoordinator', 4, { keyType, coordinatorKeys: ['any'] })
    // Uses up the id 0, which a field without a value has.
    const first = await client.send('InitProducerId', 4, { transactionalId: null, producerId: -1n, producerEpoch: -1 })
    const group = await client.send('Heartbeat', 3, { groupId: 'any', memberId: 'any' })
    const transaction = await client.send('EndTxn', 3, { transactionalId: 'any' })
    return first.errorCode === 0 && ![group.errorCode, transaction.errorCode].some((code) => NOT_READY.includes(code))
  })
}

/** COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR. */
const NOT_READY: readonly number[] = [14, 15, 16]

const CLOSED = 'the broker closed the connection'

/** The answers of a step; a request that the broker does not answer is also an outcome. */
async function outcome(step: Step, broker: ComparedBroker): Promise<unknown> {
  try {
    return await step.run(broker)
  } catch (error) {
    if (error instanceof Error && error.message === CLOSED) return CLOSED
    throw error
  }
}
