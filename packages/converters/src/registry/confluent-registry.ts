import { converterErrors } from '../errors.ts'
import { encodingDifferences } from '../avro-schema/encoding-differences.ts'
import type { HttpAnswer } from './http-client.ts'
import { messageOf } from './http-client.ts'
import { detailOf, type RegistryAnswers } from './registry-answers.ts'
import type { RegistrySubject, SchemaRegistry } from './schema-registry.ts'

/** How a schema comes to its id. */
export interface RegistrationOptions {
  /** A schema that is not there is registered. */
  readonly isAutomatic: boolean
  /** The latest version of the subject is written, whatever the records' own schema says beside the data. */
  readonly usesLatest: boolean
  /** The registry normalises schemas before it compares them. */
  readonly isNormalized: boolean
}

/**
 * A registry with the interface of Confluent's: Confluent Schema Registry, Karapace, Redpanda, and Apicurio under
 * `/apis/ccompat/v7`. Requests and answers: "Schema Registry API Reference" of Confluent Platform.
 */
export class ConfluentRegistry implements SchemaRegistry {
  readonly #answers: RegistryAnswers
  readonly #options: RegistrationOptions

  constructor(answers: RegistryAnswers, options: RegistrationOptions) {
    this.#answers = answers
    this.#options = options
  }

  async idOf({ name }: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    if (this.#options.isAutomatic) return this.#register(name, schema, signal)
    if (this.#options.usesLatest) return this.#latest(name, schema, signal)
    return this.#lookUp(name, schema, signal)
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#answers.check('/schemas/types', signal)
  }

  async schemaOf(id: bigint, signal: AbortSignal): Promise<string> {
    const what = `of id ${id}`
    const answer = await this.#answers.request({ method: 'GET', path: `/schemas/ids/${id}` }, what, signal)
    const { schema } = this.#answers.document(answer, what)
    if (typeof schema !== 'string') throw this.#answers.misunderstood(answer.url, 'schema is missing')
    return schema
  }

  async #register(subject: string, schema: string, signal: AbortSignal): Promise<bigint> {
    const path = `${pathOf(subject)}/versions${this.#query}`
    const answer = await this.#answers.request({ method: 'POST', path, body: { schema } }, subject, signal)
    if (answer.status === 409) throw await this.#incompatible(subject, schema, answer, signal)
    return this.#idOf(answer, subject)
  }

  async #lookUp(subject: string, schema: string, signal: AbortSignal): Promise<bigint> {
    const path = pathOf(subject) + this.#query
    const answer = await this.#answers.request({ method: 'POST', path, body: { schema } }, subject, signal)
    if (answer.status === 404) {
      throw converterErrors.SCHEMA_NOT_REGISTERED({ subject, schema, property: 'auto.register.schemas' })
    }
    return this.#idOf(answer, subject)
  }

  async #latest(subject: string, schema: string, signal: AbortSignal): Promise<bigint> {
    const latest = await this.#latestVersion(subject, signal)
    if (latest === null) {
      throw converterErrors.SCHEMA_NOT_REGISTERED({ subject, schema, property: 'auto.register.schemas' })
    }
    const [difference] = encodingDifferences(latest.schema, schema)
    if (difference === undefined) return latest.id
    throw converterErrors.SCHEMA_NOT_THE_LATEST({ subject, version: latest.version, difference })
  }

  /** Null: nothing is registered under the subject. */
  async #latestVersion(
    subject: string,
    signal: AbortSignal,
  ): Promise<{ readonly id: bigint; readonly version: string; readonly schema: string } | null> {
    const path = `${pathOf(subject)}/versions/latest`
    const answer = await this.#answers.request({ method: 'GET', path }, subject, signal)
    if (answer.status === 404) return null
    const document = this.#answers.document(answer, subject)
    const id = this.#answers.integer(document, 'id', answer.url)
    return { id, version: String(document['version']), schema: String(document['schema']) }
  }

  #idOf(answer: HttpAnswer, subject: string): bigint {
    return this.#answers.integer(this.#answers.document(answer, subject), 'id', answer.url)
  }

  get #query(): string {
    return this.#options.isNormalized ? '?normalize=true' : ''
  }

  /** Says with which version it is incompatible, and in what: the refusal itself often does not. */
  async #incompatible(subject: string, schema: string, refusal: HttpAnswer, signal: AbortSignal): Promise<Error> {
    const latest = await this.#latestVersion(subject, signal)
    if (latest === null) {
      return converterErrors.SCHEMA_REFUSED({ subject, status: refusal.status, detail: detailOf(refusal) })
    }
    const level = await this.#levelOf(subject, signal)
    const own = encodingDifferences(latest.schema, schema)
    const differences = own.length === 0 ? messageOf(refusal) : `Changed since then: ${own.join('; ')}`
    return converterErrors.SCHEMA_INCOMPATIBLE({ subject, version: latest.version, level, differences })
  }

  async #levelOf(subject: string, signal: AbortSignal): Promise<string> {
    const path = `/config/${encodeURIComponent(subject)}?defaultToGlobal=true`
    const answer = await this.#answers.request({ method: 'GET', path }, subject, signal)
    if (answer.status !== 200) return '(not known)'
    return String(this.#answers.document(answer, subject)['compatibilityLevel'])
  }
}

function pathOf(subject: string): string {
  return `/subjects/${encodeURIComponent(subject)}`
}
