import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { present } from '@tributary/support'
import { startFaultProxy } from '../network/fault-proxy.ts'
import type { FaultProxy } from '../network/fault-proxy.ts'
import { freePort } from '../network/free-port.ts'
import { eventually } from '../process/eventually.ts'
import { temporaryFolder } from '../process/temporary-folder.ts'
import { brokerProperties } from './broker-properties.ts'
import type { BrokerPorts } from './broker-properties.ts'
import { brokerStart, copyStorage, NODE_IDS } from './broker-start.ts'
import { KafkaBroker } from './kafka-broker.ts'
import { liveBrokerIds } from './metadata-probe.ts'
import { kafkaClassPath } from './kafka-jars.ts'
import { FAST_START, logSettings } from './run-java.ts'
import type { KafkaLogLevel } from './run-java.ts'

export interface StartKafkaOptions {
  readonly brokers?: 1 | 3
  /** Added to the server.properties of every broker; these override the testkit's. */
  readonly config?: Readonly<Record<string, string>>
  /** The log level of the brokers; default WARN. */
  readonly log?: KafkaLogLevel
  /** Puts a fault proxy in front of each broker; the brokers advertise the addresses of the proxies. */
  readonly behindProxy?: boolean
  /**
   * Further client listeners, name → security protocol: `{ SASL: 'SASL_PLAINTEXT' }`. Set their properties in `config`.
   */
  readonly extraListeners?: Readonly<Record<string, string>>
  /** The address of this machine at which the brokers serve clients. Default 127.0.0.1. Not with `behindProxy`. */
  readonly host?: string
  /** Further arguments of the brokers' Java: `-Dname=value`. */
  readonly javaArgs?: readonly string[]
  /** `bench`: a realistic heap, the optimising compiler and G1. Default `test`: a fast start and little memory. */
  readonly profile?: 'test' | 'bench'
}

/**
 * A throw-away Kafka cluster on loopback, with its data in a temporary folder. It uses KRaft; each broker is also a
 * controller.
 */
export interface KafkaServer extends AsyncDisposable {
  /** `host:port` per broker for clients; those of the proxies if there are any. */
  readonly bootstrapServers: string[]
  /** `host:port` per broker of the INTERNAL listener, without proxies: for Kafka's tools. */
  readonly internalServers: string[]
  readonly brokers: readonly KafkaBroker[]
  /** With `behindProxy`, one proxy per broker, in the order of the brokers; otherwise empty. */
  readonly proxies: readonly FaultProxy[]
  /** `host:port` per broker of an extra listener. */
  listener(name: string): string[]
}

/**
 * Starts Kafka and waits until every broker is alive.
 *
 *     await using kafka = await startKafka({ brokers: 3 })
 *     await kafka.brokers[0]?.kill('SIGKILL')
 */
export async function startKafka(options: StartKafkaOptions = {}): Promise<KafkaServer> {
  const { brokers = 1, behindProxy = false, host = LOOPBACK } = options
  // The stack releases everything if the start fails; after the start it belongs to the result.
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(temporaryFolder('kafka'))
  const proxies: FaultProxy[] = []
  const ports: BrokerPorts[] = []
  for (const nodeId of NODE_IDS.slice(0, brokers)) {
    const client = await freePort()
    const proxy = behindProxy ? stack.use(await startFaultProxy({ target: { host, port: client } })) : undefined
    if (proxy !== undefined) proxies.push(proxy)
    ports.push(await choosePorts({ nodeId, client, advertised: proxy?.port ?? client }, options.extraListeners))
  }
  const cluster: KafkaBroker[] = []
  const runningIds = (): number[] => cluster.filter((broker) => broker.isRunning).map(({ nodeId }) => nodeId)
  const clusterId = randomBytes(16).toString('base64url')
  for (const self of ports) {
    const brokerFolder = join(folder.path, String(self.nodeId))
    const javaArgs = await writeBrokerFiles({ self, all: ports, folder: brokerFolder, clusterId, options })
    const broker = new KafkaBroker({
      nodeId: self.nodeId,
      host,
      port: self.client,
      javaArgs,
      folder: brokerFolder,
      runningIds,
    })
    stack.defer(() => broker.kill('SIGKILL'))
    cluster.push(broker)
  }
  await startAll(cluster)
  const owned = stack.move()
  return {
    bootstrapServers: ports.map(({ advertised }) => `${host}:${advertised}`),
    internalServers: ports.map(({ internal }) => `${LOOPBACK}:${internal}`),
    brokers: cluster,
    proxies,
    listener: (name) => ports.map(({ extra }) => `${LOOPBACK}:${present(extra[name], `extra listener ${name}`)}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const LOOPBACK = '127.0.0.1'

/**
 * Starts all brokers at the same time: one of three controllers cannot elect a leader alone. Waits for each, also if
 * one fails.
 */
async function startAll(cluster: readonly KafkaBroker[]): Promise<void> {
  const started = await Promise.allSettled(cluster.map((broker) => broker.start()))
  const failed = started.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const everyBrokerSeesAll = async (): Promise<boolean> => {
    const views = await Promise.all(cluster.map(({ host, port }) => liveBrokerIds(port, host)))
    return views.every((ids) => ids.length === cluster.length)
  }
  await eventually(`all ${cluster.length} brokers of the new cluster see each other`, everyBrokerSeesAll)
}

async function choosePorts(
  known: Pick<BrokerPorts, 'nodeId' | 'client' | 'advertised'>,
  extraListeners: Readonly<Record<string, string>> = {},
): Promise<BrokerPorts> {
  const extra: Record<string, number> = {}
  for (const name of Object.keys(extraListeners)) extra[name] = await freePort()
  return { ...known, internal: await freePort(), controller: await freePort(), extra }
}

interface BrokerPlan {
  readonly self: BrokerPorts
  readonly all: readonly BrokerPorts[]
  readonly folder: string
  readonly clusterId: string
  readonly options: StartKafkaOptions
}

/** Writes the storage and the properties of a broker, and returns the arguments of its Java. */
async function writeBrokerFiles({ self, all, folder, clusterId, options }: BrokerPlan): Promise<readonly string[]> {
  const { host = LOOPBACK, config = {}, extraListeners = {}, log = 'WARN', profile = 'test', javaArgs = [] } = options
  const start = await brokerStart()
  const dataFolder = join(folder, 'data')
  await mkdir(folder, { recursive: true })
  await copyStorage(start, self.nodeId, clusterId, dataFolder)
  const properties = join(folder, 'server.properties')
  await writeFile(properties, brokerProperties({ self, all, host, dataFolder, extraListeners, config }))
  const machine = profile === 'bench' ? ['-Xms1g', '-Xmx1g', '-XX:+UseG1GC'] : ['-Xmx384m', ...FAST_START]
  const archive = `-XX:SharedArchiveFile=${start.classArchive}`
  return [
    ...machine,
    archive,
    ...javaArgs,
    ...logSettings(log),
    '-cp',
    await kafkaClassPath(),
    'kafka.Kafka',
    properties,
  ]
}
