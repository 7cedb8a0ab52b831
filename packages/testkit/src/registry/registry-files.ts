import { copyFile, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectFiles } from '../connect/connect-jars.ts'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import { progress, provisionFolder } from '../provision/cache.ts'
import { runMaven } from '../provision/run-maven.ts'

const pomFile = fileURLToPath(new URL('../../registry/pom.xml', import.meta.url))

/** The version of the registry and of the converter. */
export const apicurioVersion: string = '3.0.9'

/** The folder with Apicurio Registry. Maven fetches it unless it is in the cache. */
export function registryFolder(): Promise<string> {
  return provisionFolder(`apicurio-registry-${apicurioVersion}`, async (folder) => {
    progress('fetching Apicurio Registry by Maven (110 MB)')
    const archive = join(folder, 'registry.tar.gz')
    await fetchArtifact(`io.apicurio:apicurio-registry-app:${apicurioVersion}:tar.gz:all`, archive, folder)
    await unpack(archive, folder)
    await rm(archive)
  })
}

async function unpack(archive: string, folder: string): Promise<void> {
  const args = ['-xzf', archive, '-C', folder]
  const { code, stderr } = await runProgram('tar', args, { purpose: 'unpacking Apicurio Registry' })
  if (code === 0) return
  throw testkitErrors.PROVISIONING_FAILED({
    what: 'Apicurio Registry',
    command: `tar ${args.join(' ')}`,
    code,
    lastLines: lastLines(stderr),
    remedy: 'Make sure that 300 MB of disk are free, and run the command again.',
  })
}

/**
 * The artifacts of Apicurio's Avro converter, fetched one by one without their dependencies: the mirrors of Maven
 * Central lack the parent pom of this version, so Maven cannot resolve them. `registry/pom.xml` lists the dependencies.
 */
const CONVERTER: readonly string[] = [
  'utils-converter',
  'avro-serde-kafka',
  'serde-common-avro',
  'serde-kafka-common',
  'serde-common',
  'schema-resolver',
  'common',
].map((name) => `io.apicurio:apicurio-registry-${name}:${apicurioVersion}`)

/** The folder with the jars of Apicurio's Avro converter. */
async function converterFolder(): Promise<string> {
  const folder = await provisionFolder(`apicurio-converter-${apicurioVersion}`, async (unfinished) => {
    progress("fetching Apicurio's Avro converter by Maven (20 MB)")
    // Maven writes to the folder of the pom, so a copy keeps the checkout clean.
    const pom = join(unfinished, 'pom.xml')
    await copyFile(pomFile, pom)
    const jars = join(unfinished, 'apicurio-converter')
    await runMaven(
      "Apicurio's client",
      ['-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`],
      unfinished,
    )
    for (const artifact of CONVERTER) await fetchArtifact(artifact, `${jars}/`, unfinished)
  })
  return join(folder, 'apicurio-converter')
}

/** A folder for `plugin.path` of Kafka Connect that contains Apicurio's Avro converter. */
export async function avroConverterPluginPath(): Promise<string> {
  return dirname(await converterFolder())
}

async function fetchArtifact(artifact: string, target: string, folder: string): Promise<void> {
  const goal = ['dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false', `-Ddest=${target}`]
  await runMaven(artifact, goal, folder)
}

/** The Java class path of programs that use the Avro converter and Kafka Connect's JSON converter. */
export async function avroConverterClassPath(): Promise<string> {
  const folder = await converterFolder()
  const jars = (await readdir(folder)).filter((name) => name.endsWith('.jar')).toSorted()
  const { classPath } = await connectFiles()
  return [classPath, ...jars.map((name) => join(folder, name))].join(':')
}
