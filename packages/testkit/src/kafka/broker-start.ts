import { join } from 'node:path'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { freePort } from '../network/free-port.ts'
import { progress, provisionFolder } from '../provision/cache.ts'
import { ServerProcess } from '../process/server-process.ts'
import { testkitErrors } from '../errors.ts'
import { lastLines } from '../process/run-program.ts'
import { kafkaCacheKey, kafkaClassPath } from './kafka-jars.ts'
import { liveBrokerIds } from './metadata-probe.ts'
import { FAST_START, logSettings, runKafkaTool } from './run-java.ts'

/**
 * What makes a broker's start short, made once and kept in the cache.
 *
 * Measured on two cores: 7.0 s with Java's defaults, 3.5 s with the first compiler only and the serial collector, 2.0 s with an
 * archive of loaded classes on top; formatting the storage of a node is a Java start of its own (2.3 s), so it is done once
 * per node id and copied.
 */
export interface BrokerStart {
  /** Class data archive for -XX:SharedArchiveFile. A Java that cannot use it says so in the broker's log and goes on. */
  readonly classArchive: string
  /** Formatted storage: one folder per node id. */
  readonly storage: string
}

/** Node ids 1 to 3: no test needs a larger cluster. */
export const NODE_IDS: readonly number[] = [1, 2, 3]

const TEMPLATE_CLUSTER_ID = 'AAAAAAAAQACAAAAAAAAAAA'

export async function brokerStart(): Promise<BrokerStart> {
  const folder = await provisionFolder(`${await kafkaCacheKey()}-start`, prepare)
  return { classArchive: join(folder, 'classes.jsa'), storage: join(folder, 'storage') }
}

/** A node's formatted storage as `target`, of a cluster of its own. */
export async function copyStorage(
  start: BrokerStart,
  nodeId: number,
  clusterId: string,
  target: string,
): Promise<void> {
  await cp(join(start.storage, String(nodeId)), target, { recursive: true })
  const file = join(target, 'meta.properties')
  await writeFile(file, (await readFile(file, 'utf8')).replace(TEMPLATE_CLUSTER_ID, clusterId))
}

async function prepare(folder: string): Promise<void> {
  const classPath = await kafkaClassPath()
  progress('preparing the storage of Kafka brokers')
  const storage = join(folder, 'storage')
  await mkdir(storage)
  for (const nodeId of NODE_IDS) await format(folder, join(storage, String(nodeId)), nodeId)
  await archiveClasses(folder, classPath)
}

async function format(folder: string, logFolder: string, nodeId: number): Promise<void> {
  const file = join(folder, 'format.properties')
  await writeFile(file, await templateProperties(nodeId, logFolder))
  const result = await runKafkaTool('kafka.tools.StorageTool', ['format', '-t', TEMPLATE_CLUSTER_ID, '-c', file])
  if (result.code === 0) return
  throw testkitErrors.PROVISIONING_FAILED({
    what: "A Kafka broker's storage",
    command: `kafka.tools.StorageTool format -c ${file}`,
    code: result.code,
    lastLines: lastLines(result.stdout + result.stderr),
    remedy: 'Kafka 4 needs Java 17 or later (`java -version`).',
  })
}

/** Runs a broker once, from start to stop, and lets Java keep the classes it loaded. */
async function archiveClasses(folder: string, classPath: string): Promise<void> {
  const logFolder = join(folder, 'archive-run')
  await cp(join(folder, 'storage', '1'), logFolder, { recursive: true })
  const file = join(folder, 'archive.properties')
  const port = await freePort()
  await writeFile(file, await templateProperties(1, logFolder, port))
  const archive = `-XX:ArchiveClassesAtExit=${join(folder, 'classes.jsa')}`
  const broker = await ServerProcess.start({
    name: 'Kafka broker (class archive)',
    program: 'java',
    packageName: 'openjdk-17-jre-headless',
    args: ['-Xmx256m', ...FAST_START, archive, ...logSettings(), '-cp', classPath, 'kafka.Kafka', file],
    logFile: join(folder, 'archive.log'),
    isReady: async () => (await liveBrokerIds(port)).length === 1,
  })
  await broker.stop()
  await rm(logFolder, { recursive: true })
}

async function templateProperties(nodeId: number, logFolder: string, port = 0): Promise<string> {
  const controller = await freePort()
  return [
    'process.roles=broker,controller',
    `node.id=${nodeId}`,
    `controller.quorum.voters=${nodeId}@127.0.0.1:${controller}`,
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    'controller.listener.names=CONTROLLER',
    `log.dirs=${logFolder}`,
    '',
  ].join('\n')
}
