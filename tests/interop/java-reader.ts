import assert from 'node:assert/strict'
import type { LogRecord } from '@tributary/kafka'
import { runKafkaTool } from '@tributary/testkit'

/** A text that no header of a connector contains. */
const BETWEEN_HEADERS = '<|>'

const COMMITTED = ['--isolation-level', 'read_committed']

const SHOWN = ['print.partition', 'print.offset', 'print.headers', 'print.key'].map((name) => `${name}=true`)

/**
 * Reads that many committed records of a topic with Kafka's own console consumer, which shares no code with Tributary.
 * Does not read timestamps.
 */
export async function readWithJava(
  bootstrapServers: readonly string[],
  topic: string,
  count: number,
): Promise<readonly LogRecord[]> {
  const properties = [...SHOWN, `headers.separator=${BETWEEN_HEADERS}`]
  const source = ['--bootstrap-server', bootstrapServers.join(), '--topic', topic, '--from-beginning', ...COMMITTED]
  const end = ['--max-messages', String(count), '--timeout-ms', '120000']
  const form = properties.flatMap((property) => ['--formatter-property', property])
  const consumer = 'org.apache.kafka.tools.consumer.ConsoleConsumer'
  const { code, stdout, stderr } = await runKafkaTool(consumer, [...source, ...end, ...form])
  assert.equal(code, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines.length, count, `${topic} has ${lines.length} of ${count} records`)
  return lines.map((line) => parseLine(topic, line))
}

function parseLine(topic: string, line: string): LogRecord {
  const [partition, offset, headers, key, value] = line.split('\t')
  assert.ok(partition !== undefined && offset !== undefined && headers !== undefined, line)
  return {
    topic,
    partition: Number(partition.replace('Partition:', '')),
    offset: BigInt(offset.replace('Offset:', '')),
    timestamp: 0,
    key: part(key),
    value: part(value),
    headers: headers === 'NO_HEADERS' ? [] : headers.split(BETWEEN_HEADERS).map((text) => header(text)),
  }
}

function part(text: string | undefined): Buffer | null {
  return text === undefined || text === 'null' ? null : Buffer.from(text)
}

function header(text: string): LogRecord['headers'][number] {
  const colon = text.indexOf(':')
  return { key: Buffer.from(text.slice(0, colon)), value: Buffer.from(text.slice(colon + 1)) }
}
