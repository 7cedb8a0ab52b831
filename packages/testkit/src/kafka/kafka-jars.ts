import { createHash } from 'node:crypto'
import { copyFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { progress, provisionFolder } from '../provision/cache.ts'
import { runMaven } from '../provision/run-maven.ts'

const pomFile = fileURLToPath(new URL('../../kafka/pom.xml', import.meta.url))

/** Name of the folder of jars in the cache. It depends on the pom, so that each version has its own folder. */
export async function kafkaCacheKey(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(pomFile))
  return `kafka-${hash.digest('hex').slice(0, 12)}`
}

/** The version of Kafka that the testkit starts: `4.3.1`. */
export async function kafkaVersion(): Promise<string> {
  return /<kafka\.version>(.+?)</.exec(await readFile(pomFile, 'utf8'))?.[1] ?? 'unknown'
}

/**
 * The Java class path of Kafka (`kafka/pom.xml`). Maven fetches it unless it is in the cache.
 *
 * @param version an older one, for its clients and tools: `2.8.2`. Default: that of the pom.
 */
export async function kafkaClassPath(version?: string): Promise<string> {
  const key = await kafkaCacheKey()
  const folder = await (version === undefined
    ? provisionFolder(key, (unfinished) => fetchJars(unfinished))
    : provisionFolder(`${key}-${version}`, (unfinished) => fetchJars(unfinished, [`-Dkafka.version=${version}`])))
  // Sorted, and without a wildcard: the shared class archive is valid only for exactly the same class path.
  const jars = (await readdir(folder)).filter((name) => name.endsWith('.jar')).toSorted()
  return jars.map((name) => join(folder, name)).join(':')
}

async function fetchJars(folder: string, properties: readonly string[] = []): Promise<void> {
  progress('fetching Apache Kafka by Maven (60 MB)')
  // Maven writes to the folder of the pom, so a copy keeps the checkout clean.
  const pom = join(folder, 'pom.xml')
  await copyFile(pomFile, pom)
  const goal = ['-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`, ...properties]
  await runMaven('Apache Kafka', goal, folder)
}
