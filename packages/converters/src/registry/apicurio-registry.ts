import type { CodedError } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { forecastOf } from './forecast-of.ts'
import type { HttpAnswer } from './http-client.ts'
import { detailOf, type RegistryAnswers } from './registry-answers.ts'
import { incompatible, notRegistered, notTheLatest, type LatestVersion } from './schema-refusals.ts'
import type { RegistrySubject, SchemaForecast, SchemaRegistry } from './schema-registry.ts'

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

  async forecast(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<SchemaForecast> {
    // Without registering, nothing is changed by asking for the id.
    if (!this.#options.isAutomatic) return forecastOf(() => this.idOf(subject, schema, signal))
    if ((await this.#find(subject, schema, signal)) !== null) return { tag: 'expected' }
    const latest = await this.#latestVersion(subject, signal)
    if (latest === null) return { tag: 'expected' }
    const { name } = subject
    const answer = await this.#create(subject, schema, { isTrial: true, signal })
    if (answer.status === 409) return { tag: 'refused', error: await this.#refusal(subject, schema, answer, signal) }
    this.#answers.document(answer, name)
    return { tag: 'compatible', version: latest.version, level: await this.#levelOf(subject, signal) }
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#answers.check('/system/info', signal)
  }

  waitingFor(nowMs: number): Error | null {
    return this.#answers.waitingFor(nowMs)
  }

  async schemaOf(id: bigint, signal: AbortSignal): Promise<string> {
    const subject = `of id ${id}`
    const kind = this.#options.idName === 'contentId' ? 'contentIds' : 'globalIds'
    const answer = await this.#answers.request({ method: 'GET', subject, path: `/ids/${kind}/${id}` }, signal)
    this.#answers.document(answer, subject)
    return answer.text
  }

  async #register(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    const answer = await this.#create(subject, schema, { isTrial: false, signal })
    if (answer.status === 409) throw await this.#refusal(subject, schema, answer, signal)
    const { version } = this.#answers.document(answer, subject.name)
    return this.#idOf(version, answer)
  }

  #create(
    { group, name }: RegistrySubject,
    schema: string,
    { isTrial, signal }: { readonly isTrial: boolean; readonly signal: AbortSignal },
  ): Promise<HttpAnswer> {
    const trial = isTrial ? '&dryRun=true' : ''
    const path = `/groups/${groupOf(group)}/artifacts?ifExists=${this.#options.ifExists}${trial}`
    const body = { artifactId: name, artifactType: 'AVRO', firstVersion: { content: contentOf(schema) } }
    return this.#answers.request({ method: 'POST', subject: name, path, body }, signal)
  }

  async #lookUp(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    const id = await this.#find(subject, schema, signal)
    if (id !== null) return id
    const latest = await this.#latestVersion(subject, signal)
    throw notRegistered({ subject: subject.name, schema, latest }, this.#answers.words)
  }

  /** Null: the artifact does not have the schema. */
  async #find({ group, name }: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint | null> {
    const query = `?groupId=${groupOf(group)}&artifactId=${encodeURIComponent(name)}&artifactType=AVRO&canonical=true`
    const path = `/search/versions${query}`
    // As it is: numbers of defaults do not survive JSON.parse.
    const answer = await this.#answers.request({ method: 'POST', subject: name, path, text: schema }, signal)
    const { versions } = this.#answers.document(answer, name)
    const [version] = Array.isArray(versions) ? (versions as readonly unknown[]) : []
    return version === undefined ? null : this.#idOf(version, answer)
  }

  async #latest(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint> {
    const { words } = this.#answers
    const latest = await this.#latestVersion(subject, signal)
    const refused = { subject: subject.name, schema, latest }
    if (latest === null) throw notRegistered(refused, words)
    const refusal = notTheLatest(refused, latest, words)
    if (refusal !== null) throw refusal
    return latest.id
  }

  /** Null: there is no such artifact. */
  async #latestVersion(subject: RegistrySubject, signal: AbortSignal): Promise<LatestVersion | null> {
    const { name } = subject
    const path = `${pathOf(subject)}/versions/branch%3Dlatest`
    const answer = await this.#answers.request({ method: 'GET', subject: name, path }, signal)
    if (answer.status === 404) return null
    const document = this.#answers.document(answer, name)
    const content = await this.#answers.request({ method: 'GET', subject: name, path: `${path}/content` }, signal)
    this.#answers.document(content, name)
    return { id: this.#idOf(document, answer), version: String(document['version']), schema: content.text }
  }

  #idOf(version: unknown, { url }: HttpAnswer): bigint {
    if (typeof version !== 'object' || version === null) throw this.#answers.misunderstood(url, 'version is missing')
    return this.#answers.integer(version as Readonly<Record<string, unknown>>, this.#options.idName, url)
  }

  /** What status 409 means: the artifact is there (`FAIL`), or a rule is violated, of which compatibility is one. */
  async #refusal(
    subject: RegistrySubject,
    schema: string,
    answer: HttpAnswer,
    signal: AbortSignal,
  ): Promise<CodedError> {
    const { name } = subject
    const [detail, said] = [detailOf(answer), String(fieldOf(answer, 'name'))]
    if (said === 'ArtifactAlreadyExistsException') {
      return converterErrors.SCHEMA_EXISTS({ subject: name, property: this.#answers.words.ifExists, detail })
    }
    const latest = /incompatible/i.test(detail) ? await this.#latestVersion(subject, signal) : null
    if (latest === null) return converterErrors.SCHEMA_REFUSED({ subject: name, status: answer.status, detail })
    const level = await this.#levelOf(subject, signal)
    const rules = `${answer.url}${pathOf(subject)}/rules`
    const allowance = `PUT ${rules}/COMPATIBILITY, or POST ${rules} where it has no such rule, with {"ruleType":"COMPATIBILITY","config":"NONE"}`
    return incompatible({ subject: name, schema, latest, level, answer, allowance })
  }

  /** The rule of the artifact, else of its group, else of all: the nearest one counts. An account may lack the right to see them. */
  async #levelOf(subject: RegistrySubject, signal: AbortSignal): Promise<string> {
    for (const place of [pathOf(subject), `/groups/${groupOf(subject.group)}`, '/admin']) {
      const path = `${place}/rules/COMPATIBILITY`
      const answer = await this.#answers.ask({ method: 'GET', subject: subject.name, path }, signal)
      if (answer.status === 200) return String(fieldOf(answer, 'config'))
      if (answer.status !== 404) return '(not known)'
    }
    return 'NONE'
  }
}

function fieldOf({ json }: HttpAnswer, name: string): unknown {
  return typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>)[name] : undefined
}

function pathOf({ group, name }: RegistrySubject): string {
  return `/groups/${groupOf(group)}/artifacts/${encodeURIComponent(name)}`
}

function groupOf(group: string | null): string {
  return encodeURIComponent(group ?? 'default')
}

function contentOf(schema: string): unknown {
  return { content: schema, contentType: 'application/json' }
}
