import { fileURLToPath } from 'node:url'
import type { LogRecord } from '@tributary/kafka'
import { avroConverterClassPath, type RegistryServer, runProgram } from '@tributary/testkit'

/**
 * Records whose keys and values are Avro, read by Java: the same records with documents of the JSON converter in their place. Records
 * that are something else (the schema history) stay as they are.
 */
export async function readAvro(registry: RegistryServer, records: readonly LogRecord[]): Promise<readonly LogRecord[]> {
  const lines: string[] = []
  const ids = new Set<number>()
  for (const { key, value } of records) {
    for (const bytes of [key, value]) {
      if (!isAvro(bytes)) continue
      const id = bytes.readInt32BE(1)
      if (!ids.has(id)) lines.push(...(await schemaLines(registry, id)))
      ids.add(id)
      lines.push(`V ${id} ${bytes.toString('hex', 5)}`)
    }
  }
  const documents = await runReader(lines)
  const next = (bytes: Buffer | null): Buffer | null => (isAvro(bytes) ? Buffer.from(documents.shift() ?? '') : bytes)
  // Of each record the key first, as they were given.
  return records.map((record) => {
    const key = next(record.key)
    return { ...record, key, value: next(record.value) }
  })
}

function isAvro(bytes: Buffer | null): bytes is Buffer {
  return bytes !== null && bytes.length >= 5 && bytes[0] === 0
}

/** Lines with what the schema refers to, in the order in which it must be known, and one with the schema. */
async function schemaLines(registry: RegistryServer, id: number): Promise<readonly string[]> {
  // By its own interface, where the ids are content ids: the other one does not give every schema (golden-avro.full.test.ts).
  const path = `${registry.url}/apis/registry/v3/ids/contentIds/${id}`
  const answer = await fetch(path)
  return [...(await referenceLines(registry, id, path)), `S ${id} ${await answer.text()}`]
}

interface Reference {
  readonly groupId?: string
  readonly artifactId: string
  readonly version: string
}

async function referenceLines(registry: RegistryServer, id: number, path: string): Promise<readonly string[]> {
  const references = (await (await fetch(`${path}/references`)).json()) as readonly Reference[]
  const lines = new Set<string>()
  for (const { groupId = 'default', artifactId, version } of references) {
    const artifact = `${encodeURIComponent(groupId)}/artifacts/${encodeURIComponent(artifactId)}`
    const inner = `${registry.url}/apis/registry/v3/groups/${artifact}/versions/${version}`
    for (const line of await referenceLines(registry, id, inner)) lines.add(line)
    lines.add(`R ${id} ${await (await fetch(`${inner}/content`)).text()}`)
  }
  return [...lines]
}

async function runReader(lines: readonly string[]): Promise<string[]> {
  if (lines.length === 0) return []
  const classPath = await avroConverterClassPath()
  const program = fileURLToPath(new URL('AvroReader.java', import.meta.url))
  const args = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', classPath, program]
  const { code, stdout, stderr } = await runProgram('java', args, {
    input: `${lines.join('\n')}\n`,
    purpose: 'reading Avro',
    packageName: 'openjdk-17-jdk-headless',
  })
  if (code !== 0) throw new Error(`reading Avro failed: ${stderr}`)
  return stdout.trimEnd().split('\n')
}
