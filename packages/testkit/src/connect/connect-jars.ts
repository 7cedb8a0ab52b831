import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import { progress, provisionFolder } from '../provision/cache.ts'
import { runMaven } from '../provision/run-maven.ts'

const pomFile = fileURLToPath(new URL('../../connect/pom.xml', import.meta.url))

/** Of the connector for MySQL. */
export const debeziumVersion: string = '3.6.1.Final'

/**
 * The connectors of Debezium. That for MariaDB is of 3.5: Maven Central's mirrors have no newer one, and its records have the
 * form of 3.6.
 */
const PLUGINS: readonly string[] = [
  `debezium-connector-mysql:${debeziumVersion}`,
  'debezium-connector-mariadb:3.5.0.Final',
]

/** What a worker of Kafka Connect needs. */
export interface ConnectFiles {
  readonly classPath: string
  /** `plugin.path`: a folder with a folder per plug-in. */
  readonly pluginPath: string
}

/** Kafka Connect of `connect/pom.xml` and Debezium's connectors, fetched by Maven when they are not in the cache. */
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
  // Maven takes its working folder from the pom's place; a copy keeps the checkout untouched.
  const pom = join(folder, 'pom.xml')
  await copyFile(pomFile, pom)
  const libs = join(folder, 'libs')
  await runMaven('Kafka Connect', ['-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${libs}`], folder)
  const plugins = join(folder, 'plugins')
  await mkdir(plugins)
  for (const plugin of PLUGINS) await fetchPlugin(plugin, folder, plugins)
}

/** The archive of a release holds one folder with all the connector's jars. */
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
    remedy: 'Look whether the disk has 300 MB left; then run the command again.',
  })
}
