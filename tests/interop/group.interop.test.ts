/** A worker of Kafka Connect and one of Tributary in the same group: whoever is second does not start. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort, Service, startConnect, startService, uniqueName, useKafka } from '@tributary/testkit'

test('Tributary refuses to join a group in which Kafka Connect runs, and disturbs it in nothing', async () => {
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('java_first')
  await using connect = await startConnect({ bootstrapServers, name })
  const rebalances = (): number => connect.log.split('Successfully joined group').length - 1
  const before = rebalances()
  await using service = new Service({ bootstrapServers, name }, await freePort())

  await assert.rejects(service.start(), /exit code 4\b/)

  assert.match(
    service.log,
    new RegExp(
      `Worker cannot start: Group ${name} \\(group.id\\) already has a running worker: worker http://127\\.0\\.0\\.1:${connect.port}/ \\(client connect-\\S+ at 127\\.0\\.0\\.1\\)`,
    ),
  )
  assert.equal(rebalances(), before)
  assert.equal((await connect.rest('GET', '/connectors')).status, 200)
})

test('Kafka Connect ends at its start when Tributary runs in its group', async () => {
  const { bootstrapServers } = await useKafka()
  await using service = await startService({ bootstrapServers })

  const start = startConnect({ bootstrapServers, name: service.name })

  // The brokers refuse its protocols, an error that ends it (after about a minute, in which it stops its threads).
  await assert.rejects(start, /Kafka Connect ended while it was starting \(exit code 1\)/)
  assert.equal((await service.rest('GET', '/health')).status, 200)
  assert.doesNotMatch(service.log, /all tasks stop|has ended the membership/)
})

test('after Kafka Connect was killed, Tributary waits for the end of its session and takes its place', async () => {
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('java_killed')
  await using connect = await startConnect({ bootstrapServers, name })
  await connect.kill()
  await using service = await startService({ bootstrapServers, name })
  assert.match(service.log, /Waiting for the worker http:\/\/127\.0\.0\.1:\d+\/ \(client connect-\S+ at 127\.0\.0\.1\)/)
})
