import { fileURLToPath } from 'node:url'
import type { LogRecord } from '@tributary/kafka'
import { avroConverterClassPath, type RegistryServer, runProgram } from '@tributary/testkit'

/**
 * Java reads the Avro keys and values of records and replaces them with documents of the JSON converter. Other records
 * (the schema history) stay unchanged.
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
  // The documents are in the order of the lines: for each record the key, then the value.
  return records.map((record) => {
    const key = next(record.key)
    return { ...record, key, value: next(record.value) }
  })
}

function isAvro(bytes: Buffer | null): bytes is Buffer {
  return bytes !== null && bytes.length >= 5 && bytes[0] === 0
}

/** Lines with the schemas that the schema refers to, in the order of their references, and one with the schema. */
async function schemaLines(registry: RegistryServer, id: number): Promise<readonly string[]> {
  // Through Apicurio's own interface, in which ids are content ids: Confluent's does not return every schema
  // (golden-avro.full.test.ts).
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
