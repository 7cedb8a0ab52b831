import type { KafkaServer } from '@tributary/testkit'
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Returns the bytes of a topic on the brokers' disks, including replicas. Reads the files, because Kafka's tool takes
 * two seconds to start.
 */
export function logBytes(kafka: KafkaServer, topic: string): number {
  const isPartition = new RegExp(`^${RegExp.escape(topic)}-\\d+$`)
  let bytes = 0
  for (const { logFile } of kafka.brokers) {
    const dataFolder = join(dirname(logFile), 'data')
    for (const partition of readdirSync(dataFolder).filter((name) => isPartition.test(name))) {
      const segments = readdirSync(join(dataFolder, partition)).filter((name) => name.endsWith('.log'))
      for (const name of segments) bytes += statSync(join(dataFolder, partition, name)).size
    }
  }
  return bytes
}
