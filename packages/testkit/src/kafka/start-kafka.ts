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
  /** Added to every broker's server.properties; wins over the testkit's own settings. */
  readonly config?: Readonly<Record<string, string>>
  /** What the brokers write into their `logFile`; default WARN. */
  readonly log?: KafkaLogLevel
  /** Puts a fault proxy before each broker; clients are told the proxies' addresses. */
  readonly behindProxy?: boolean
  /** More client listeners, name → security protocol: `{ SASL: 'SASL_PLAINTEXT' }`. Their settings go into `config`. */
  readonly extraListeners?: Readonly<Record<string, string>>
  /** `bench`: a real heap, the optimising compiler and G1. Default `test`: quick to start, small. */
  readonly profile?: 'test' | 'bench'
}

/** A throw-away Kafka cluster (KRaft, brokers are controllers too) on loopback, data in a temporary folder. */
export interface KafkaServer extends AsyncDisposable {
  /** `host:port` per broker, as a client is to use them: the proxies' when there are proxies. */
  readonly bootstrapServers: string[]
  /** The brokers' own addresses, which no proxy disturbs and whose listener advertises itself: for Kafka's tools. */
  readonly internalServers: string[]
  readonly brokers: readonly KafkaBroker[]
  /** One per broker when it was started `behindProxy`, in the order of the brokers; else empty. */
  readonly proxies: readonly FaultProxy[]
  /** `host:port` per broker of an extra listener. */
  listener(name: string): string[]
}

/**
 * Starts Kafka and waits until every broker serves.
 *
 *     await using kafka = await startKafka({ brokers: 3 })
 *     await kafka.brokers[0]?.kill('SIGKILL')
 */
export async function startKafka(options: StartKafkaOptions = {}): Promise<KafkaServer> {
  const { brokers = 1, behindProxy = false } = options
  // What must go when the start fails goes with the stack; it is moved into the result when all runs.
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(temporaryFolder('kafka'))
  const proxies: FaultProxy[] = []
  const ports: BrokerPorts[] = []
  for (const nodeId of NODE_IDS.slice(0, brokers)) {
    const client = await freePort()
    const proxy = behindProxy ? stack.use(await startFaultProxy({ target: { host: HOST, port: client } })) : undefined
    if (proxy !== undefined) proxies.push(proxy)
    ports.push(await choosePorts({ nodeId, client, advertised: proxy?.port ?? client }, options.extraListeners))
  }
  const cluster: KafkaBroker[] = []
  const runningIds = (): number[] => cluster.filter((broker) => broker.isRunning).map(({ nodeId }) => nodeId)
  const clusterId = randomBytes(16).toString('base64url')
  for (const self of ports) {
    const brokerFolder = join(folder.path, String(self.nodeId))
    const javaArgs = await prepareBroker({ self, all: ports, folder: brokerFolder, clusterId, options })
    const broker = new KafkaBroker({
      nodeId: self.nodeId,
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
    bootstrapServers: ports.map(({ advertised }) => `${HOST}:${advertised}`),
    internalServers: ports.map(({ internal }) => `${HOST}:${internal}`),
    brokers: cluster,
    proxies,
    listener: (name) => ports.map(({ extra }) => `${HOST}:${present(extra[name], `extra listener ${name}`)}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const HOST = '127.0.0.1'

/** All at once: the first of three controllers cannot elect a leader alone. Waits for each, so that none is left half started. */
async function startAll(cluster: readonly KafkaBroker[]): Promise<void> {
  const started = await Promise.allSettled(cluster.map((broker) => broker.start()))
  const failed = started.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const everyBrokerSeesAll = async (): Promise<boolean> => {
    const views = await Promise.all(cluster.map(({ port }) => liveBrokerIds(port)))
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

/** Writes what a broker needs into its folder and gives the arguments of its Java. */
async function prepareBroker({ self, all, folder, clusterId, options }: BrokerPlan): Promise<readonly string[]> {
  const { config = {}, extraListeners = {}, log = 'WARN', profile = 'test' } = options
  const start = await brokerStart()
  const dataFolder = join(folder, 'data')
  await mkdir(folder, { recursive: true })
  await copyStorage(start, self.nodeId, clusterId, dataFolder)
  const properties = join(folder, 'server.properties')
  await writeFile(properties, brokerProperties({ self, all, dataFolder, extraListeners, config }))
  const machine = profile === 'bench' ? ['-Xms1g', '-Xmx1g', '-XX:+UseG1GC'] : ['-Xmx384m', ...FAST_START]
  const archive = `-XX:SharedArchiveFile=${start.classArchive}`
  return [...machine, archive, ...logSettings(log), '-cp', await kafkaClassPath(), 'kafka.Kafka', properties]
}
