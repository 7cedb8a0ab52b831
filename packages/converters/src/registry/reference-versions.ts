import { createHash } from 'node:crypto'
import type { SchemaReference } from './schema-registry.ts'

/** A reference from one schema to a version of an artifact ("ArtifactReference" of Apicurio Registry API v3). */
export interface ArtifactReference {
  /**
   * As the registry returns it; null for the default group. Java omits null, and so must this client: to the registry,
   * schemas whose references differ in it are two schemas.
   */
  readonly groupId: string | null
  readonly artifactId: string
  readonly version: string
  /** The name by which the schema refers to it. */
  readonly name: string
}

type Register = (reference: SchemaReference, signal: AbortSignal) => Promise<ArtifactReference>

/**
 * Registers records within schemas as artifacts and caches their versions. Concurrent requests for a record share one
 * registration.
 */
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
    const pending = this.#versions.get(key)
    if (pending !== undefined) return pending
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

/** One entry per table and about 300 bytes each. */
const VERSIONS_MAX = 10_000
