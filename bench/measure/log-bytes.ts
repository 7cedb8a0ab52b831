import { runKafkaTool } from '@tributary/testkit'

interface LogDirs {
  readonly brokers: readonly {
    readonly logDirs: readonly { readonly partitions: readonly { readonly size: number }[] }[]
  }[]
}

/** Bytes of a topic on the brokers' disks, replicas included. */
export async function logBytes(bootstrapServers: readonly string[], topic: string): Promise<number> {
  const servers = bootstrapServers.join(',')
  const tool = 'org.apache.kafka.tools.LogDirsCommand'
  const { stdout } = await runKafkaTool(tool, ['--describe', '--bootstrap-server', servers, '--topic-list', topic])
  const document = stdout.split('\n').find((line) => line.startsWith('{')) ?? '{"brokers":[]}'
  const { brokers } = JSON.parse(document) as LogDirs
  const partitions = brokers.flatMap(({ logDirs }) => logDirs.flatMap((dir) => dir.partitions))
  return partitions.reduce((sum, { size }) => sum + size, 0)
}
