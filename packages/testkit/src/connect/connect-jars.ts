import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import { progress, provisionFolder } from '../provision/cache.ts'
import { runMaven } from '../provision/run-maven.ts'

const pomFile = fileURLToPath(new URL('../../connect/pom.xml', import.meta.url))

/** The version of the MySQL connector. */
export const debeziumVersion: string = '3.6.1.Final'

/**
 * The connectors of Debezium. The MariaDB connector is version 3.5, the newest one on the mirrors of Maven Central; its
 * records have the same form as those of 3.6.
 */
const PLUGINS: readonly string[] = [
  `debezium-connector-mysql:${debeziumVersion}`,
  'debezium-connector-mariadb:3.5.0.Final',
]

/** The files of a Kafka Connect worker. */
export interface ConnectFiles {
  readonly classPath: string
  /** For `plugin.path`: a folder with one folder per plug-in. */
  readonly pluginPath: string
}

/** Kafka Connect (`connect/pom.xml`) and Debezium's connectors. Maven fetches them unless they are in the cache. */
export async function connectFiles(): Promise<ConnectFiles> {
  const hash = createHash('sha256')
    .update(await readFile(pomFile))
    .update(PLUGINS.join())
  const folder = await provisionFolder(`connect-${hash.digest('hex').slice(0, 12)}`, fetch)
  const jars = (await readdir(join(folder, 'libs'))).filter((name) => name.endsWith('.jar')).toSorted()
  return {
    classPath: jars.map((name) => join(folder, 'libs', name)).join(':'),
    pluginPath: join(folder, 'plugins'),
  }
}

async function fetch(folder: string): Promise<void> {
  progress('fetching Kafka Connect and the connectors of Debezium by Maven (100 MB)')
  // Maven writes to the folder of the pom, so a copy keeps the checkout clean.
  const pom = join(folder, 'pom.xml')
  await copyFile(pomFile, pom)
  const libs = join(folder, 'libs')
  await runMaven('Kafka Connect', ['-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${libs}`], folder)
  const plugins = join(folder, 'plugins')
  await mkdir(plugins)
  for (const plugin of PLUGINS) await fetchPlugin(plugin, folder, plugins)
}

/** The archive of a release contains one folder with all jars of the connector. */
async function fetchPlugin(plugin: string, folder: string, target: string): Promise<void> {
  const downloads = join(folder, 'downloads')
  const artifact = `-Dartifact=io.debezium:${plugin}:tar.gz:plugin`
  await runMaven(
    plugin,
    ['dependency:get', artifact, '-Dtransitive=false', `-Ddest=${downloads}/plugin.tar.gz`],
    folder,
  )
  const args = ['-xzf', join(downloads, 'plugin.tar.gz'), '-C', target]
  const { code, stderr } = await runProgram('tar', args, { purpose: `unpacking ${plugin}` })
  await rm(downloads, { recursive: true, force: true })
  if (code === 0) return
  throw testkitErrors.PROVISIONING_FAILED({
    what: plugin,
    command: `tar ${args.join(' ')}`,
    code,
    lastLines: lastLines(stderr),
    remedy: 'Make sure that 300 MB of disk are free, and run the command again.',
  })
}
