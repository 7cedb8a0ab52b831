import type { RegistryServer } from '@tributary/testkit'

/** Versions of an artifact in their order: each its text and what it refers to. */
export type RegisteredSchemas = ReadonlyMap<string, readonly string[]>

/**
 * The artifacts in Apicurio Registry, read by its own interface, without those of other prefixes; `PFX` is the prefix.
 */
export async function registeredSchemas({ url }: RegistryServer, prefix: string): Promise<RegisteredSchemas> {
  const api = `${url}/apis/registry/v3`
  // As `schema.name.adjustment.mode=avro_unicode` writes it in names.
  const adjusted = prefix.replaceAll('_', '_u005f')
  const mask = (text: string): string => text.replaceAll(prefix, 'PFX').replaceAll(adjusted, 'PFX_u005f')
  const { artifacts } = (await json(`${api}/search/artifacts?limit=10000`)) as {
    readonly artifacts: readonly { readonly groupId?: string; readonly artifactId: string }[]
  }
  const schemas = new Map<string, readonly string[]>()
  for (const { groupId = 'default', artifactId } of artifacts) {
    // Markers of script-run.ts have names of their own in each run.
    const isOwn = artifactId.includes(prefix) || artifactId.includes(adjusted)
    if (/pfx_/.test(artifactId) && (!isOwn || /[._]zz_/.test(artifactId))) continue
    const path = `${api}/groups/${encodeURIComponent(groupId)}/artifacts/${encodeURIComponent(artifactId)}/versions`
    const { versions } = (await json(`${path}?limit=1000`)) as {
      readonly versions: readonly { readonly version: string; readonly globalId: number }[]
    }
    const texts: string[] = []
    for (const { version } of versions.toSorted((a, b) => a.globalId - b.globalId)) {
      const content = await (await fetch(`${path}/${version}/content`)).text()
      const references = await json(`${path}/${version}/references`)
      texts.push(mask(`${content} ${JSON.stringify(references)}`))
    }
    schemas.set(mask(`${groupId}/${artifactId}`), texts)
  }
  return schemas
}

async function json(url: string): Promise<unknown> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** A version of an artifact that only one of both registered, or with another text. */
export interface SchemaDifference {
  readonly artifact: string
  readonly expected: string
  readonly actual: string
}

/** Compares the schemas of both registries. `isShorter`: the reference stopped early, so later schemas are not compared. */
export function schemaDifferences(
  theirs: RegisteredSchemas,
  ours: RegisteredSchemas,
  isShorter: boolean,
): readonly SchemaDifference[] {
  const differences: SchemaDifference[] = []
  for (const artifact of new Set([...theirs.keys(), ...ours.keys()])) {
    const [expected = [], actual = []] = [theirs.get(artifact), ours.get(artifact)]
    const count = isShorter ? expected.length : Math.max(expected.length, actual.length)
    for (let i = 0; i < count; i++) {
      if (expected[i] === actual[i]) continue
      differences.push({ artifact, expected: expected[i] ?? '(none)', actual: actual[i] ?? '(none)' })
    }
  }
  return differences
}
