/** `tributary watch` prints what Kafka's own Java program prints of change events of a real table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  runKafkaTool,
  runProgram,
  startService,
  uniqueName,
  useMariaDb,
  useProgram,
  useRealKafka,
  waitForRecords,
} from '@tributary/testkit'

const ENTRY = await useProgram()
const CONSUMER = 'org.apache.kafka.tools.consumer.ConsoleConsumer'

test("tributary watch -a -k prints the bytes of Kafka's console consumer", async () => {
  const database = await useMariaDb()
  const { bootstrapServers } = await useRealKafka()
  const prefix = uniqueName('watch')
  const topic = `${prefix}.${prefix}.t`
  await database.query(`
    CREATE DATABASE ${prefix}; USE ${prefix};
    CREATE TABLE t (id BIGINT PRIMARY KEY, text MEDIUMTEXT, d DECIMAL(30,10), f DOUBLE, b BLOB, ts TIMESTAMP(6) NULL);
    INSERT INTO t VALUES
      (1, 'Größe "q" \\\\ / \t 😀\u2028', -12345678901234567890.5, 1e300, x'00ff', '2020-02-09 12:34:56.5'),
      (9007199254740993, '', 0, -0.1, '', NULL)`)
  await using service = await startService({ bootstrapServers })
  await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: prefix }))
  await waitForRecords(bootstrapServers, topic, 2)
  await database.query(`
    UPDATE ${prefix}.t SET text = CONCAT(text, REPEAT('x', 70000)) WHERE id = 1;
    DELETE FROM ${prefix}.t WHERE id = 9007199254740993`)
  const records = await waitForRecords(bootstrapServers, topic, 5)
  assert.equal(records[4]?.value, null)
  const end = ['--max-messages', '5']
  const target = ['--bootstrap-server', bootstrapServers.join(), '--topic', topic, '--from-beginning']
  // A tombstone has no value, which Java's console consumer prints as `null`.
  const format = ['print.key=true', 'null.literal={"schema":null,"payload":null}']
  const properties = format.flatMap((property) => ['--formatter-property', property])
  const java = await runKafkaTool(CONSUMER, [...target, ...end, ...properties])
  assert.equal(java.code, 0, java.stderr)

  const watch = await runProgram(process.execPath, [ENTRY, 'watch', '-a', '-k', ...end, topic], {
    env: { BOOTSTRAP_SERVERS: bootstrapServers.join() },
  })

  assert.deepEqual([watch.code, watch.stderr], [0, ''])
  assert.equal(watch.stdout, java.stdout)
  assert.deepEqual(watch.stdoutBytes, java.stdoutBytes)
  assert.equal(watch.stdout.split('\n').length, 6)
})
