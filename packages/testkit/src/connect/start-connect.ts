import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAST_START, type KafkaLogLevel, logSettings } from '../kafka/run-java.ts'
import { freePort } from '../network/free-port.ts'
import { javaProgram } from '../provision/java.ts'
import { Service, startWorker, storageTopics, type WorkerPlace } from '../service/service.ts'
import { uniqueName } from '../shared/unique-name.ts'
import { connectFiles } from './connect-jars.ts'

export interface StartConnectOptions {
  readonly bootstrapServers: readonly string[]
  /**
   * Name of the group and the internal topics. With the name of a `Service`, the two share everything that they store.
   */
  readonly name?: string
  /** Added to the worker's properties; these override the testkit's. */
  readonly properties?: Readonly<Record<string, string>>
  /** Added to `plugin.path`, after Debezium's connectors. */
  readonly pluginPaths?: readonly string[]
  /** Default INFO: at this level Debezium logs its work on offset and history. */
  readonly log?: KafkaLogLevel
  /** Options of the JVM for heap, collector and compilers. Default: a fast start and little memory; a benchmark sets realistic values. */
  readonly javaArgs?: readonly string[]
}

const SMALL: readonly string[] = ['-Xmx512m', ...FAST_START]

/**
 * Starts a distributed worker of Kafka Connect 4.3.1 with Debezium's connectors for MySQL and MariaDB, and waits until
 * it is healthy. It has the same settings as the service of `startService`, so that each reads what the other has
 * stored under the same name.
 */
export async function startConnect(options: StartConnectOptions): Promise<Service> {
  const { classPath, pluginPath } = await connectFiles()
  const javaPath = await javaProgram()
  const name = options.name ?? uniqueName('connect')
  const program = ({ folder, port }: WorkerPlace) => {
    const file = join(folder, 'connect-distributed.properties')
    writeFileSync(file, propertiesText(workerProperties({ ...options, name }, { port }, pluginPath)))
    const java = [...(options.javaArgs ?? SMALL), ...logSettings(options.log ?? 'INFO'), '-cp', classPath]
    return {
      name: 'Kafka Connect',
      program: javaPath,
      args: [...java, 'org.apache.kafka.connect.cli.ConnectDistributed', file],
      // It starts in 9 s on an idle machine.
      readyTimeoutMs: 180_000,
    }
  }
  return startWorker(new Service({ ...options, name }, await freePort(), program))
}

function workerProperties(
  { bootstrapServers, name, properties, pluginPaths = [] }: StartConnectOptions & { readonly name: string },
  { port }: Pick<WorkerPlace, 'port'>,
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
    // After a worker was killed, the next one waits until the session of the first has expired.
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
