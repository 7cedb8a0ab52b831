import { join } from 'node:path'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { freePort } from '../network/free-port.ts'
import { progress, provisionFolder } from '../provision/cache.ts'
import { javaProgram } from '../provision/java.ts'
import { ServerProcess } from '../process/server-process.ts'
import { testkitErrors } from '../errors.ts'
import { lastLines } from '../process/run-program.ts'
import { kafkaCacheKey, kafkaClassPath } from './kafka-jars.ts'
import { liveBrokerIds } from './metadata-probe.ts'
import { FAST_START, logSettings, runKafkaTool } from './run-java.ts'

/**
 * Files that shorten the start of a broker. They are built once and kept in the cache.
 *
 * On two cores a start takes 7.0 s with Java's defaults, 3.5 s with only the first compiler and the serial collector,
 * and 2.0 s with an archive of loaded classes as well. Formatting the storage of a node takes another 2.3 s, so it is
 * done once per node id; brokers copy the result.
 */
export interface BrokerStart {
  /** Class data archive for -XX:SharedArchiveFile. A Java that cannot use it logs a warning and starts without it. */
  readonly classArchive: string
  /** Formatted storage: one folder per node id. */
  readonly storage: string
}

/** Node ids 1 to 3: no test needs a larger cluster. */
export const NODE_IDS: readonly number[] = [1, 2, 3]

const TEMPLATE_CLUSTER_ID = 'AAAAAAAAQACAAAAAAAAAAA'

export async function brokerStart(): Promise<BrokerStart> {
  const folder = await provisionFolder(`${await kafkaCacheKey()}-start`, build)
  return { classArchive: join(folder, 'classes.jsa'), storage: join(folder, 'storage') }
}

/** Copies the formatted storage of a node to `target` and gives it the cluster id. */
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

async function build(folder: string): Promise<void> {
  const classPath = await kafkaClassPath()
  progress('formatting the storage of Kafka brokers')
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

/** Runs a broker once; Java writes the archive of its loaded classes at the end. */
async function archiveClasses(folder: string, classPath: string): Promise<void> {
  const logFolder = join(folder, 'archive-run')
  await cp(join(folder, 'storage', '1'), logFolder, { recursive: true })
  const file = join(folder, 'archive.properties')
  const port = await freePort()
  await writeFile(file, await templateProperties(1, logFolder, port))
  const archive = `-XX:ArchiveClassesAtExit=${join(folder, 'classes.jsa')}`
  const broker = await ServerProcess.start({
    name: 'Kafka broker (class archive)',
    program: await javaProgram(),
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
