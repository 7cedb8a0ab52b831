import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAST_START, type KafkaLogLevel, logSettings } from '../kafka/run-java.ts'
import { freePort } from '../network/free-port.ts'
import { Service, startWorker, storageTopics, type WorkerPlace } from '../service/service.ts'
import { uniqueName } from '../shared/unique-name.ts'
import { connectFiles } from './connect-jars.ts'

export interface StartConnectOptions {
  readonly bootstrapServers: readonly string[]
  /** Names group and internal topics: that of a `Service` makes the two share all that they store. */
  readonly name?: string
  /** Added to the worker's properties; wins over the testkit's own. */
  readonly properties?: Readonly<Record<string, string>>
  /** Added to `plugin.path`, beside Debezium's connectors. */
  readonly pluginPaths?: readonly string[]
  /** Default INFO: Debezium tells there what it does with offset and history. */
  readonly log?: KafkaLogLevel
  /** Heap, collector and compilers. Default: what starts fast and is small; a benchmark gives what an operator would. */
  readonly javaArgs?: readonly string[]
}

const SMALL: readonly string[] = ['-Xmx512m', ...FAST_START]

/**
 * Starts a distributed worker of Kafka Connect 4.3.1 with Debezium's connectors for MySQL and MariaDB, and waits until it is
 * healthy. It has the same settings as a service of `startService`: what one of them stores under a name the other finds.
 */
export async function startConnect(options: StartConnectOptions): Promise<Service> {
  const { classPath, pluginPath } = await connectFiles()
  const name = options.name ?? uniqueName('connect')
  const program = ({ folder, port }: WorkerPlace) => {
    const file = join(folder, 'connect-distributed.properties')
    writeFileSync(file, propertiesText(workerProperties({ ...options, name }, { folder, port }, pluginPath)))
    const java = [...(options.javaArgs ?? SMALL), ...logSettings(options.log ?? 'INFO'), '-cp', classPath]
    return {
      name: 'Kafka Connect',
      program: 'java',
      packageName: 'openjdk-17-jre-headless',
      args: [...java, 'org.apache.kafka.connect.cli.ConnectDistributed', file],
      // Alone it starts in 9 s.
      readyTimeoutMs: 180_000,
    }
  }
  return startWorker(new Service({ ...options, name }, await freePort(), program))
}

function workerProperties(
  { bootstrapServers, name, properties, pluginPaths = [] }: StartConnectOptions & { readonly name: string },
  { port }: WorkerPlace,
  pluginPath: string,
): Record<string, string> {
  const { configs, offsets, statuses } = storageTopics(name)
  const converter = 'org.apache.kafka.connect.json.JsonConverter'
  return {
    'bootstrap.servers': bootstrapServers.join(','),
    'group.id': name,
    'config.storage.topic': configs,
    'offset.storage.topic': offsets,
    'status.storage.topic': statuses,
    'config.storage.replication.factor': '1',
    'offset.storage.replication.factor': '1',
    'status.storage.replication.factor': '1',
    'offset.storage.partitions': '1',
    'status.storage.partitions': '1',
    'key.converter': converter,
    'value.converter': converter,
    'offset.flush.interval.ms': '500',
    listeners: `http://127.0.0.1:${port}`,
    'plugin.path': [pluginPath, ...pluginPaths].join(','),
    'plugin.discovery': 'service_load',
    'connector.client.config.override.policy': 'All',
    // A worker that was killed is missed for as long as its session lasts; the next one waits for that.
    'session.timeout.ms': '6000',
    'heartbeat.interval.ms': '2000',
    'scheduled.rebalance.max.delay.ms': '0',
    ...properties,
  }
}

function propertiesText(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value.replaceAll('\\', '\\\\')}\n`)
    .join('')
}
