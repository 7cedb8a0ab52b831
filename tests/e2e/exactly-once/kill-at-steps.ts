import { eventually, startKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startExactStream } from './exact-stream.ts'
import { StepWatch, stepsOf, type Step } from './kafka-steps.ts'
import { NOTHING_WRONG, seenBy } from './numbered-rows.ts'

/** Kills the service with SIGKILL at each of the chosen steps, and checks what a consumer of committed records sees. */
export async function killAtSteps(t: TestContext, isChosen: (step: Step) => boolean): Promise<void> {
  await using kafka = await startKafka({ behindProxy: true })
  const { bootstrapServers } = kafka
  const [proxy] = kafka.proxies
  assert.ok(proxy !== undefined)
  await using stream = await startExactStream({ bootstrapServers, partitions: 2 })
  const { service, name, rows } = stream
  const isSeen = (): Promise<boolean> => stream.isComplete(kafka.internalServers)
  await rows.insert(100)
  await eventually('the first rows are committed', isSeen)
  const steps = new StepWatch(proxy)
  const transactionalId = `${service.name}-${name}-0`
  for (const step of stepsOf({ transactionalId, topic: rows.topic, offsets: service.offsetTopic }).filter(isChosen)) {
    const isOfStart = step.name.includes('InitProducerId')
    const reached = steps.next(step, () => process.kill(service.pid, 'SIGKILL'))
    if (isOfStart) await service.rest('POST', `/connectors/${name}/tasks/0/restart`)
    await rows.insert(50)
    await reached
    await service.kill()
    await rows.insertSingly(3)
    await service.start()
    await eventually(`${step.name}: all rows are committed`, isSeen)
    assert.deepEqual(await seenBy(kafka.internalServers, rows.topic, rows.last), NOTHING_WRONG, step.name)
    t.diagnostic(`killed ${step.name}: missing 0, repeated 0`)
  }
}
