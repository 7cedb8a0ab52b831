import assert from 'node:assert/strict'
import { present } from '@tributary/support'
import { eventually, seededRandom, uniqueName, useRealKafka } from '@tributary/testkit'
import { startBroker } from '../shell/start-broker.ts'
import { ComparedBroker } from './compared-broker.ts'
import { RandomSteps } from './random-step.ts'
import { RawClient } from './raw-client.ts'
import type { Step } from './step.ts'

export interface Comparison {
  /** Of the first sequence; the others follow it. */
  readonly seed: number
  readonly sequences: number
  /** Per sequence. */
  readonly steps: number
  /** Default: the first difference is an error. Otherwise it is passed on, and the next sequence begins. */
  readonly onDifference?: (text: string) => void
}

/** Sends the same random requests to Kafka and to a broker, and compares their answers. */
export async function compareBrokers({ seed, sequences, steps, onDifference }: Comparison): Promise<void> {
  await using broker = await startBroker()
  const kafka = await useRealKafka()
  const servers = [present(kafka.bootstrapServers[0], 'the address of Kafka'), broker.bootstrapServers]
  for (const server of servers) await waitForCoordinators(server)
  for (let i = 0; i < sequences; i++) {
    const random = seededRandom(seed + i)
    const source = new RandomSteps(random, uniqueName('compare'))
    await using real = await RawClient.connect(servers[0] ?? '')
    await using own = await RawClient.connect(servers[1] ?? '')
    const [one, other] = [new ComparedBroker(real), new ComparedBroker(own)]
    const done: string[] = []
    for (let step = 0; step < steps; step++) {
      const next = source.next()
      done.push(next.text)
      const [expected, actual] = await Promise.all([outcome(next, one), outcome(next, other)])
      try {
        assert.deepEqual(actual, expected)
        if (actual === CLOSED) break
      } catch (error) {
        const difference = `seed ${seed + i}\n${done.join('\n')}\n${String(error)}`
        if (onDifference === undefined) assert.fail(difference)
        onDifference(difference)
        break
      }
    }
  }
}

/** A new Kafka has no coordinators until the first request for one. */
async function waitForCoordinators(server: string): Promise<void> {
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
