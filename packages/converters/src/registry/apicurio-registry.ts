import { encodingDifferences } from '../avro-schema/encoding-differences.ts'
import { converterErrors } from '../errors.ts'
import type { HttpAnswer } from './http-client.ts'
import { messageOf } from './http-client.ts'
import { detailOf, type RegistryAnswers } from './registry-answers.ts'
import type { RegistrySubject, SchemaRegistry } from './schema-registry.ts'

export interface ApicurioOptions {
  readonly isAutomatic: boolean
  /** `apicurio.registry.find-latest` */
  readonly usesLatest: boolean
  /** Which of its two ids stands before values. */
  readonly idName: 'contentId' | 'globalId'
  /** What is done about an artifact that is there: `apicurio.registry.auto-register.if-exists`. */
  readonly ifExists: string
}

/** Apicurio Registry by its own interface, "Apicurio Registry API v3" (`/apis/registry/v3`). */
export class ApicurioRegistry implements SchemaRegistry {
  readonly #answers: RegistryAnswers
  readonly #options: ApicurioOptions

  constructor(answers: RegistryAnswers, options: ApicurioOptions) {
    this.#answers = answers
    this.#options = options
  }

  async idOf(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    if (this.#options.isAutomatic) return this.#register(subject, schema, signal)
    if (this.#options.usesLatest) return this.#latest(subject, schema, signal)
    return this.#lookUp(subject, schema, signal)
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#answers.check('/system/info', signal)
  }

  async schemaOf(id: bigint, signal: AbortSignal): Promise<string> {
    const what = `of id ${id}`
    const kind = this.#options.idName === 'contentId' ? 'contentIds' : 'globalIds'
    const answer = await this.#answers.request({ method: 'GET', path: `/ids/${kind}/${id}` }, what, signal)
    this.#answers.document(answer, what)
    return answer.text
  }

  async #register(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    const { group, name } = subject
    const path = `/groups/${groupOf(group)}/artifacts?ifExists=${this.#options.ifExists}`
    const body = { artifactId: name, artifactType: 'AVRO', firstVersion: { content: contentOf(schema) } }
    const answer = await this.#answers.request({ method: 'POST', path, body }, name, signal)
    if (answer.status === 409) throw await this.#incompatible(subject, schema, answer, signal)
    const { version } = this.#answers.document(answer, name)
    return this.#idOf(version, answer)
  }

  async #lookUp({ group, name }: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    const query = `?groupId=${groupOf(group)}&artifactId=${encodeURIComponent(name)}&artifactType=AVRO&canonical=true`
    const path = `/search/versions${query}`
    // As it is: numbers of defaults do not survive JSON.parse.
    const answer = await this.#answers.request({ method: 'POST', path, text: schema }, name, signal)
    const { versions } = this.#answers.document(answer, name)
    const [version] = Array.isArray(versions) ? (versions as readonly unknown[]) : []
    if (version !== undefined) return this.#idOf(version, answer)
    throw converterErrors.SCHEMA_NOT_REGISTERED({ subject: name, schema, property: 'apicurio.registry.auto-register' })
  }

  async #latest(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    const { name } = subject
    const latest = await this.#latestVersion(subject, signal)
    if (latest === null) {
      const property = 'apicurio.registry.auto-register'
      throw converterErrors.SCHEMA_NOT_REGISTERED({ subject: name, schema, property })
    }
    const [difference] = encodingDifferences(latest.schema, schema)
    if (difference === undefined) return latest.id
    throw converterErrors.SCHEMA_NOT_THE_LATEST({ subject: name, version: latest.version, difference })
  }

  /** Null: there is no such artifact. */
  async #latestVersion(
    { group, name }: RegistrySubject,
    signal: AbortSignal,
  ): Promise<{ readonly id: bigint; readonly version: string; readonly schema: string } | null> {
    const path = `/groups/${groupOf(group)}/artifacts/${encodeURIComponent(name)}/versions/branch%3Dlatest`
    const answer = await this.#answers.request({ method: 'GET', path }, name, signal)
    if (answer.status === 404) return null
    const document = this.#answers.document(answer, name)
    const content = await this.#answers.request({ method: 'GET', path: `${path}/content` }, name, signal)
    this.#answers.document(content, name)
    return { id: this.#idOf(document, answer), version: String(document['version']), schema: content.text }
  }

  #idOf(version: unknown, { url }: HttpAnswer): bigint {
    if (typeof version !== 'object' || version === null) throw this.#answers.misunderstood(url, 'version is missing')
    return this.#answers.integer(version as Readonly<Record<string, unknown>>, this.#options.idName, url)
  }

  async #incompatible(
    subject: RegistrySubject,
    schema: string,
    refusal: HttpAnswer,
    signal: AbortSignal,
  ): Promise<Error> {
    const latest = await this.#latestVersion(subject, signal)
    const { name } = subject
    if (latest === null) {
      return converterErrors.SCHEMA_REFUSED({ subject: name, status: refusal.status, detail: detailOf(refusal) })
    }
    const own = encodingDifferences(latest.schema, schema)
    const differences = own.length === 0 ? messageOf(refusal) : `Changed since then: ${own.join('; ')}`
    const level = 'of the rules of the artifact'
    return converterErrors.SCHEMA_INCOMPATIBLE({ subject: name, version: latest.version, level, differences })
  }
}

function groupOf(group: string | null): string {
  return encodeURIComponent(group ?? 'default')
}

function contentOf(schema: string): unknown {
  return { content: schema, contentType: 'application/json' }
}
