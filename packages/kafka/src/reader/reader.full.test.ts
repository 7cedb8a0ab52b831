import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKafkaTool, uniqueName, useRealKafka } from '@tributary/testkit'
import { readAll, testKafka } from '../testing/clients.ts'
import { RawPartition } from '../testing/raw-partition.ts'
import { COMMITTED_VALUES, writeTransactions } from '../testing/transactions-in-turn.ts'

test("of aborted, committed and open transactions, Java's consumer on Kafka reads the records that the reader returns", async () => {
  const { bootstrapServers } = await useRealKafka()
  const kafka = testKafka(bootstrapServers)
  const topic = uniqueName('transactions')
  await using admin = kafka.admin()
  await admin.createTopic({ name: topic, partitions: 1, replicationFactor: 1 })
  await using raw = await RawPartition.open(Number(bootstrapServers[0]?.split(':')[1]), topic)
  await using open = new AsyncDisposableStack()
  const transaction = await writeTransactions(raw, topic)
  open.defer(() => transaction.end(true))

  const seen = (await readAll(kafka, topic)).map(({ value }) => String(value))

  assert.deepEqual(seen, COMMITTED_VALUES)
  assert.deepEqual(seen, await javaValues(bootstrapServers, topic, seen.length))
})

async function javaValues(bootstrapServers: readonly string[], topic: string, count: number): Promise<string[]> {
  const args = ['--bootstrap-server', bootstrapServers.join(), '--topic', topic, '--from-beginning']
  const limits = ['--max-messages', String(count), '--timeout-ms', '60000', '--isolation-level', 'read_committed']
  const result = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [...args, ...limits])
  return result.stdout.trimEnd().split('\n')
}
