import { present } from '@tributary/support'
import { uniqueName, useRealKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from './shell/start-broker.ts'
import { waitForCoordinators } from './testing/compare-brokers.ts'
import { ScriptedClient } from './testing/scripted-client.ts'

type Script = (client: ScriptedClient) => Promise<readonly unknown[]>

/** What 20,000 random sequences, and a review, found to differ: one script each. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  'the record with the latest time is found among deleted ones that their segment still has': async (client) => {
    await client.createTopic()
    await client.produce(null, { sequence: 0, count: 2 })
    await client.produce(null, { sequence: 0 })
    const seen = [await client.latest(), await client.deleteRecords(2n), await client.latest()]
    return [...seen, await client.deleteRecords(-1n), await client.latest()]
  },
  'a member keeps its assignment while the group rebalances': async (client) => {
    const member = await client.join('a')
    const seen = [await client.describeGroup(), await client.assign(member), await client.describeGroup()]
    await client.join('b', member.memberId)
    seen.push(await client.describeGroup())
    await client.join('c', member.memberId)
    return [...seen, await client.describeGroup()]
  },
  'a fetch of committed records lists transactions that were aborted beyond the last stable offset': async (client) => {
    await client.createTopic()
    const [open, aborted] = [await client.begin('open'), await client.begin('aborted')]
    await client.produce(null, { sequence: 0 })
    await client.addPartition(open)
    await client.produce(open, { sequence: 0, isTransactional: true })
    await client.addPartition(aborted)
    await client.produce(aborted, { sequence: 0, isTransactional: true })
    const seen = [await client.end(aborted, false), await client.readCommitted(0n)]
    return [...seen, await client.end(open, true), await client.readCommitted(0n)]
  },
  'an open transaction commits no offsets for a group that was deleted': async (client) => {
    await client.createTopic()
    const owner = await client.begin('x')
    const seen = [await client.pendingOffset(owner, 42n), await client.committedOffset(true)]
    seen.push(await client.deleteGroup(), await client.committedOffset(true))
    return [...seen, await client.end(owner, true), await client.committedOffset()]
  },
  'an open transaction commits no offset that was deleted': async (client) => {
    await client.createTopic()
    const owner = await client.begin('x')
    const seen = [await client.pendingOffset(owner, 42n), await client.deleteOffset()]
    return [...seen, await client.end(owner, true), await client.committedOffset()]
  },
  'an open transaction commits no offset of a topic that was deleted and created again': async (client) => {
    await client.createTopic()
    const owner = await client.begin('x')
    const seen = [await client.pendingOffset(owner, 42n), await client.deleteTopic()]
    await client.createTopic()
    return [...seen, await client.end(owner, true), await client.committedOffset()]
  },
  'after a batch that was refused for its transaction, none with a higher sequence number is stored': async (
    client,
  ) => {
    await client.createTopic()
    const owner = await client.begin('x')
    const seen = [await client.produce(owner, { sequence: 3, isTransactional: true })]
    seen.push(await client.produce(owner, { sequence: 4 }), await client.produce(owner, { sequence: 2 }))
    seen.push(await client.addPartition(owner), await client.produce(owner, { sequence: 3, isTransactional: true }))
    return [...seen, await client.end(owner, true), await client.produce(owner, { sequence: 4 })]
  },
  'a producer cannot write without its transaction between the records of it': async (client) => {
    await client.createTopic()
    const owner = await client.begin('x')
    await client.addPartition(owner)
    const seen = [await client.produce(owner, { sequence: 0, isTransactional: true })]
    seen.push(await client.produce(owner, { sequence: 1 }))
    return [...seen, await client.end(owner, true), await client.produce(owner, { sequence: 1 })]
  },
}

for (const [what, script] of Object.entries(SCRIPTS)) {
  test(`as in Kafka, ${what}`, async () => {
    await using broker = await startBroker()
    const kafka = present((await useRealKafka()).bootstrapServers[0], 'the address of Kafka')
    const prefix = `${uniqueName('script')}-`
    const run = async (server: string): Promise<readonly unknown[]> => {
      await waitForCoordinators(server)
      await using client = await ScriptedClient.connect(server, prefix)
      return await script(client)
    }
    const [expected, actual] = await Promise.all([run(kafka), run(broker.bootstrapServers)])
    assert.deepEqual(actual, expected)
  })
}
