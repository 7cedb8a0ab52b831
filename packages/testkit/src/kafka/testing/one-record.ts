import assert from 'node:assert/strict'
import { runKafkaTool } from '../run-java.ts'
import type { KafkaServer } from '../start-kafka.ts'

/** Writes a record to the topic `t` with Kafka's console producer. */
export async function produceOne(kafka: KafkaServer, text: string): Promise<void> {
  const args = ['--bootstrap-server', kafka.bootstrapServers.join(','), '--topic', 't']
  const result = await runKafkaTool('org.apache.kafka.tools.ConsoleProducer', args, { input: `${text}\n` })
  assert.equal(result.code, 0, result.stderr)
}

/** Returns the first record of the topic `t` and a line end, from Kafka's console consumer. */
export async function consumeOne(kafka: KafkaServer): Promise<string> {
  const args = ['--bootstrap-server', kafka.bootstrapServers.join(','), '--topic', 't', '--from-beginning']
  const limits = ['--max-messages', '1', '--timeout-ms', '20000']
  const result = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [...args, ...limits])
  assert.equal(result.code, 0, result.stderr)
  return result.stdout
}
