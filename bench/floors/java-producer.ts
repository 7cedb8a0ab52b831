import { runKafkaTool, temporaryFolder } from '@tributary/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HEAP_MAX_MB, javaSettings } from '../systems/java-settings.ts'

export interface JavaSending {
  readonly bootstrapServers: readonly string[]
  readonly topic: string
  readonly values: readonly Buffer[]
  readonly count: number
}

/**
 * Returns the records per second of Java's ProducerPerformance with the given values: acks=all, idempotent, lz4,
 * batches of 256 KB.
 */
export async function javaProducerRate({ bootstrapServers, topic, values, count }: JavaSending): Promise<number> {
  await using folder = temporaryFolder('values')
  const file = join(folder.path, 'values.txt')
  writeFileSync(file, Buffer.concat(values.flatMap((value) => [value, NEW_LINE])))
  const properties = {
    'bootstrap.servers': bootstrapServers.join(','),
    acks: 'all',
    'enable.idempotence': 'true',
    'compression.type': 'lz4',
    'linger.ms': '10',
    'batch.size': '262144',
  }
  const sending = ['--topic', topic, '--num-records', String(count), '--throughput', '-1', '--payload-file', file]
  const settings = ['--producer-props', ...Object.entries(properties).map(([name, value]) => `${name}=${value}`)]
  const tool = 'org.apache.kafka.tools.ProducerPerformance'
  const javaArgs = javaSettings(HEAP_MAX_MB)
  const { code, stdout, stderr } = await runKafkaTool(tool, [...sending, ...settings], { javaArgs })
  // The last line covers the whole run, the lines before it five seconds each.
  const rate = [...stdout.matchAll(/ records sent, ([\d.]+) records\/sec/g)].at(-1)?.[1]
  if (code !== 0 || rate === undefined) throw new Error(`ProducerPerformance failed: ${stdout}${stderr}`)
  return Number(rate)
}

const NEW_LINE = Buffer.from('\n')
