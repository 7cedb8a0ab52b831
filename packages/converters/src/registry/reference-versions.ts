import { createHash } from 'node:crypto'
import type { SchemaReference } from './schema-registry.ts'

/** A version of an artifact, as a schema that refers to it names it ("ArtifactReference" of Apicurio Registry API v3). */
export interface ArtifactReference {
  /** As the registry gives it; null: the default group. Java leaves that out, and so it must be: schemas that differ in it are two. */
  readonly groupId: string | null
  readonly artifactId: string
  readonly version: string
  /** By which the schema calls it. */
  readonly name: string
}

type Register = (reference: SchemaReference, signal: AbortSignal) => Promise<ArtifactReference>

/** Which versions of artifacts stand for records within schemas: each is registered once, also when several topics need it at the same time. */
export class ReferenceVersions {
  readonly #register: Register
  readonly #versions = new Map<string, Promise<ArtifactReference>>()

  constructor(register: Register) {
    this.#register = register
  }

  async versionsOf(references: readonly SchemaReference[], signal: AbortSignal): Promise<readonly ArtifactReference[]> {
    const versions: ArtifactReference[] = []
    for (const reference of references) versions.push(await this.#versionOf(reference, signal))
    return versions
  }

  async #versionOf(reference: SchemaReference, signal: AbortSignal): Promise<ArtifactReference> {
    const key = createHash('sha256').update(reference.schema.text).digest('base64')
    const underWay = this.#versions.get(key)
    if (underWay !== undefined) return underWay
    const version = this.#register(reference, signal)
    this.#versions.set(key, version)
    const [oldest] = this.#versions.keys()
    if (this.#versions.size > VERSIONS_MAX && oldest !== undefined) this.#versions.delete(oldest)
    try {
      return await version
    } catch (error) {
      this.#versions.delete(key)
      throw error
    }
  }
}

/** One of each table, some 300 bytes. */
const VERSIONS_MAX = 10_000
