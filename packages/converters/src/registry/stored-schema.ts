import { isJsonObject, itemsOf, type JsonObject } from '../avro-schema/json-object.ts'
import type { StoredSchema } from './schema-registry.ts'

/** A schema as one answer contains it. */
export interface SchemaAtPath {
  readonly text: string
  /** As the answer names the language; undefined for Avro. */
  readonly type?: unknown
  /** Paths of the schemas that it names. */
  readonly references: readonly string[]
}

/** Requests a schema and all schemas that it names, each once. */
export async function storedSchema(
  path: string,
  schemaAt: (path: string) => Promise<SchemaAtPath>,
): Promise<StoredSchema> {
  const seen = new Set<string>()
  const texts: string[] = []
  let type: StoredSchema['type'] = 'AVRO'
  const add = async (at: string): Promise<void> => {
    if (seen.has(at)) return
    seen.add(at)
    const { text, references, type: own } = await schemaAt(at)
    for (const reference of references) await add(reference)
    texts.push(text)
    // The schema itself is the last one.
    type = own === 'JSON' || own === 'PROTOBUF' ? own : 'AVRO'
  }
  await add(path)
  const text = texts.pop() ?? ''
  return { text, type, references: texts }
}

/** Returns the objects of a list in an answer; none when the value is not a list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return itemsOf(value).filter((item) => isJsonObject(item))
}
