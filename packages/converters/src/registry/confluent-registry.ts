import type { CodedError } from '@tributary/support'
import { forecastOf } from './forecast-of.ts'
import type { HttpAnswer, HttpRequest } from './http-client.ts'
import { detailOf, type RegistryAnswers } from './registry-answers.ts'
import { incompatible, isTransitive, notRegistered, notTheLatest, type LatestVersion } from './schema-refusals.ts'
import type {
  RegisteredSchema,
  RegistrySubject,
  SchemaForecast,
  SchemaRegistry,
  StoredSchema,
} from './schema-registry.ts'
import { objectsOf, type SchemaAtPath, storedSchema } from './stored-schema.ts'

/** How the registry's client gets the id of a schema. */
export interface RegistrationOptions {
  /** Registers schemas that the registry does not have. */
  readonly isAutomatic: boolean
  /**
   * Writes with the subject's latest version, which may differ from the records' schema in anything that is not
   * encoded.
   */
  readonly usesLatest: boolean
  /** The registry normalises schemas before it compares them. */
  readonly isNormalized: boolean
}

/**
 * Client of registries with Confluent's interface: Confluent Schema Registry, Karapace, Redpanda, and Apicurio under
 * `/apis/ccompat/v7`. Requests and answers: "Schema Registry API Reference" of Confluent Platform.
 */
export class ConfluentRegistry implements SchemaRegistry {
  readonly #answers: RegistryAnswers
  readonly #options: RegistrationOptions

  constructor(answers: RegistryAnswers, options: RegistrationOptions) {
    this.#answers = answers
    this.#options = options
  }

  async idOf({ name }: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    if (this.#options.isAutomatic) return this.#register(name, schema, signal)
    if (this.#options.usesLatest) return this.#latest(name, schema, signal)
    return this.#lookUp(name, schema, signal)
  }

  async forecast(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<SchemaForecast> {
    // Without auto-registration, asking for the id changes nothing.
    if (!this.#options.isAutomatic) return forecastOf(() => this.idOf(subject, schema, signal))
    const { name } = subject
    if ((await this.#find(name, schema, signal)) !== null) return { tag: 'expected' }
    const latest = await this.#latestVersion(name, signal)
    if (latest === null) return { tag: 'expected' }
    const level = await this.#levelOf(name, signal)
    // Under a transitive level a registration is compared with all versions, and so is a request to this path.
    const versions = isTransitive(level) ? 'versions' : 'versions/latest'
    const path = `/compatibility${pathOf(name)}/${versions}?verbose=true`
    const answer = await this.#request({ method: 'POST', subject: name, path, body: bodyOf(schema) }, signal)
    const document = this.#answers.document(answer, name)
    if (document['is_compatible'] === true) return { tag: 'compatible', subject: name, version: latest.version, level }
    return { tag: 'refused', error: this.#incompatible(name, { schema, latest, level, answer }) }
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#answers.check('/schemas/types', signal)
  }

  warnings(): readonly CodedError[] {
    return this.#answers.warnings()
  }

  pendingFailure(nowMs: number): Error | null {
    return this.#answers.pendingFailure(nowMs)
  }

  schemaOf(id: bigint, signal: AbortSignal): Promise<StoredSchema> {
    return storedSchema(`/schemas/ids/${id}`, (path) => this.#schemaAt(path, `of id ${id}`, signal))
  }

  async #schemaAt(path: string, subject: string, signal: AbortSignal): Promise<SchemaAtPath> {
    const answer = await this.#request({ method: 'GET', subject, path }, signal)
    const { schema, schemaType: type, references } = this.#answers.document(answer, subject)
    if (typeof schema !== 'string') throw this.#answers.misunderstood(answer.url, 'schema is missing')
    const paths = objectsOf(references).map(
      (each) => `${pathOf(String(each['subject']))}/versions/${String(each['version'])}`,
    )
    return { text: schema, type, references: paths }
  }

  #request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    return this.#answers.request(request, signal)
  }

  async #register(subject: string, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const path = `${pathOf(subject)}/versions${this.#query}`
    const answer = await this.#request({ method: 'POST', subject, path, body: bodyOf(schema) }, signal)
    if (answer.status === 409 && !isOtherRule(answer)) {
      const latest = await this.#latestVersion(subject, signal)
      const level = await this.#levelOf(subject, signal)
      if (latest !== null) throw this.#incompatible(subject, { schema, latest, level, answer })
    }
    return this.#idOf(answer, subject)
  }

  async #lookUp(subject: string, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const id = await this.#find(subject, schema, signal)
    if (id !== null) return id
    const latest = await this.#latestVersion(subject, signal)
    throw notRegistered({ subject, schema, latest }, this.#answers.names)
  }

  /** Returns the id of the schema; null when the subject does not have it. */
  async #find(subject: string, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint | null> {
    const path = pathOf(subject) + this.#query
    const answer = await this.#request({ method: 'POST', subject, path, body: bodyOf(schema) }, signal)
    return answer.status === 404 ? null : this.#idOf(answer, subject)
  }

  async #latest(subject: string, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const { names } = this.#answers
    const latest = await this.#latestVersion(subject, signal)
    if (latest === null) throw notRegistered({ subject, schema, latest }, names)
    const refusal = notTheLatest({ subject, schema, latest }, latest, names)
    if (refusal !== null) throw refusal
    return latest.id
  }

  /** Returns null when nothing is registered under the subject. */
  async #latestVersion(subject: string, signal: AbortSignal): Promise<LatestVersion | null> {
    const path = `${pathOf(subject)}/versions/latest`
    const answer = await this.#request({ method: 'GET', subject, path }, signal)
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

  #incompatible(
    subject: string,
    refused: {
      readonly schema: RegisteredSchema
      readonly latest: LatestVersion
      readonly level: string
      readonly answer: HttpAnswer
    },
  ): CodedError {
    const allowance = `PUT ${refused.answer.url}/config/${encodeURIComponent(subject)} with {"compatibility":"NONE"}`
    return incompatible({ ...refused, subject, allowance })
  }

  /** The account may not be allowed to read the level. */
  async #levelOf(subject: string, signal: AbortSignal): Promise<string> {
    const path = `/config/${encodeURIComponent(subject)}?defaultToGlobal=true`
    const answer = await this.#answers.ask({ method: 'GET', subject, path }, signal)
    if (answer.status !== 200) return '(not known)'
    return String(this.#answers.document(answer, subject)['compatibilityLevel'])
  }
}

/** Apicurio answers 409 for violations of any of its rules, for example for an invalid schema. */
function isOtherRule(answer: HttpAnswer): boolean {
  const detail = detailOf(answer)
  return detail.includes('RuleViolationException') && !/incompatible/i.test(detail)
}

/** Registries take a schema without a type for Avro; the older ones know no other. */
function bodyOf({ text, language: { type } }: RegisteredSchema): Readonly<Record<string, string>> {
  return type === 'AVRO' ? { schema: text } : { schemaType: type, schema: text }
}

function pathOf(subject: string): string {
  return `/subjects/${encodeURIComponent(subject)}`
}
