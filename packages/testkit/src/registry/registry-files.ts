import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { connectFiles } from '../connect/connect-jars.ts'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import { progress, provisionFolder } from '../provision/cache.ts'
import { runMaven } from '../provision/run-maven.ts'

/** Of registry and converter. */
export const apicurioVersion: string = '3.0.9'

/** The folder with Apicurio Registry, fetched by Maven when it is not in the cache. */
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
    remedy: 'Look whether the disk has 300 MB left; then run the command again.',
  })
}

/**
 * What Apicurio's Avro converter needs beside Kafka Connect. Each alone: Maven Central's mirrors lack the parent of this version, by
 * which Maven would find out. Its client of the registry is missing there, too: these jars convert, and do not register.
 */
const CONVERTER: readonly string[] = [
  `io.apicurio:apicurio-registry-utils-converter:${apicurioVersion}`,
  `io.apicurio:apicurio-registry-avro-serde-kafka:${apicurioVersion}`,
  `io.apicurio:apicurio-registry-serde-common-avro:${apicurioVersion}`,
  `io.apicurio:apicurio-registry-serde-kafka-common:${apicurioVersion}`,
  `io.apicurio:apicurio-registry-serde-common:${apicurioVersion}`,
  `io.apicurio:apicurio-registry-schema-resolver:${apicurioVersion}`,
  'org.apache.avro:avro:1.12.0',
]

/** The folder with the jars of Apicurio's Avro converter. */
export function avroConverterFolder(): Promise<string> {
  return provisionFolder(`apicurio-converter-${apicurioVersion}`, async (folder) => {
    progress("fetching Apicurio's Avro converter by Maven")
    for (const artifact of CONVERTER) await fetchArtifact(artifact, `${folder}/`, folder)
  })
}

async function fetchArtifact(artifact: string, target: string, folder: string): Promise<void> {
  const goal = ['dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false', `-Ddest=${target}`]
  await runMaven(artifact, goal, folder)
}

/** The Java class path of programs that use the Avro converter and Kafka Connect's JSON converter. */
export async function avroConverterClassPath(): Promise<string> {
  const folder = await avroConverterFolder()
  const jars = (await readdir(folder)).filter((name) => name.endsWith('.jar')).toSorted()
  const { classPath } = await connectFiles()
  return [...jars.map((name) => join(folder, name)), classPath].join(':')
}
