import {
  connectorConfig,
  eventually,
  kafkaClient,
  startKafka,
  startService,
  uniqueName,
  useMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { StepWatch, stepsOf, type Step } from './kafka-steps.ts'
import { NOTHING_WRONG, NumberedRows, seenBy } from './numbered-rows.ts'

export const ENABLED = { CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT: 'enabled' }

/** Kills the service with SIGKILL at each of the chosen steps, and checks what a consumer of committed records sees. */
export async function killAtSteps(t: TestContext, isChosen: (step: Step) => boolean): Promise<void> {
  await using kafka = await startKafka({ behindProxy: true })
  const { bootstrapServers } = kafka
  const [proxy] = kafka.proxies
  assert.ok(proxy !== undefined)
  const database = await useMySql()
  const schema = uniqueName('steps')
  const rows = await NumberedRows.create(schema)
  await using admin = kafkaClient(bootstrapServers).admin()
  await admin.createTopic({ name: rows.topic, partitions: 2, replicationFactor: 1 })
  await using service = await startService({ bootstrapServers, env: ENABLED })
  const more = { 'exactly.once.support': 'required', 'snapshot.mode': 'no_data' }
  await service.register(
    schema,
    connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more }),
  )
  const isSeen = async (): Promise<boolean> =>
    (await seenBy(kafka.internalServers, rows.topic, rows.last)).missing.length === 0
  await service.waitForLog(/Connected to binlog at/)
  await rows.insert(100)
  await eventually('the first rows are committed', isSeen)
  const steps = new StepWatch(proxy)
  const transactionalId = `${service.name}-${schema}-0`
  for (const step of stepsOf({ transactionalId, topic: rows.topic, offsets: service.offsetTopic }).filter(isChosen)) {
    const isOfStart = step.name.includes('InitProducerId')
    const reached = steps.next(step, () => process.kill(service.pid, 'SIGKILL'))
    if (isOfStart) await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
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
