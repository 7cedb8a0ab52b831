import type { StoredSchema } from './schema-registry.ts'

/** A schema as one answer gives it. */
export interface SchemaAtPath {
  readonly text: string
  /** Where the schemas stand that it names. */
  readonly references: readonly string[]
}

/** Gets a schema and all that it names, each once. */
export async function storedSchema(
  path: string,
  schemaAt: (path: string) => Promise<SchemaAtPath>,
): Promise<StoredSchema> {
  const seen = new Set<string>()
  const texts: string[] = []
  const add = async (at: string): Promise<void> => {
    if (seen.has(at)) return
    seen.add(at)
    const { text, references } = await schemaAt(at)
    for (const reference of references) await add(reference)
    texts.push(text)
  }
  await add(path)
  const text = texts.pop() ?? ''
  return { text, references: texts }
}

/** The objects of a list in an answer; none when there is no list. */
export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return []
  return value.filter((item): item is Readonly<Record<string, unknown>> => typeof item === 'object' && item !== null)
}
