import type { CodedError } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { forecastOf } from './forecast-of.ts'
import type { HttpAnswer } from './http-client.ts'
import { detailOf, type RegistryAnswers } from './registry-answers.ts'
import { type ArtifactReference, ReferenceVersions } from './reference-versions.ts'
import { incompatible, notRegistered, notTheLatest, type LatestVersion } from './schema-refusals.ts'
import type {
  RegisteredSchema,
  RegistrySubject,
  SchemaForecast,
  SchemaReference,
  SchemaRegistry,
  StoredSchema,
} from './schema-registry.ts'
import { listOf, type SchemaAtPath, storedSchema } from './stored-schema.ts'

export interface ApicurioOptions {
  readonly isAutomatic: boolean
  /** `apicurio.registry.find-latest` */
  readonly usesLatest: boolean
  /** Which of its two ids stands before values. */
  readonly idName: 'contentId' | 'globalId'
  /** What is done about an artifact that is there: `apicurio.registry.auto-register.if-exists`. */
  readonly ifExists: string
  /** Group of a schema that others refer to; null: the default one. */
  readonly groupOfReference: (namespace: string | null) => string | null
}

/** Apicurio Registry by its own interface, "Apicurio Registry API v3" (`/apis/registry/v3`). */
export class ApicurioRegistry implements SchemaRegistry {
  readonly #answers: RegistryAnswers
  readonly #options: ApicurioOptions
  readonly #references: ReferenceVersions

  constructor(answers: RegistryAnswers, options: ApicurioOptions) {
    this.#answers = answers
    this.#options = options
    this.#references = new ReferenceVersions((reference, signal) => this.#registerReference(reference, signal))
  }

  async idOf(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    if (this.#options.isAutomatic) return this.#register(subject, schema, signal)
    if (this.#options.usesLatest) return this.#latest(subject, schema, signal)
    return this.#lookUp(subject, schema, signal)
  }

  async forecast(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<SchemaForecast> {
    // Without registering, nothing is changed by asking for the id.
    if (!this.#options.isAutomatic) return forecastOf(() => this.idOf(subject, schema, signal))
    // The artifact is refused whatever is in it; one that it refers to may be known by its version, and is then not created.
    if (this.#isForbiddenTwice && (await this.#latestVersion(subject, signal)) !== null) return this.#exists(subject)
    return this.#forecast(subject, schema, signal)
  }

  async #forecast(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<SchemaForecast> {
    if ((await this.#find(subject, schema, signal)) !== null) return { tag: 'expected' }
    const references = schema.parts?.references ?? []
    if (references.length > 0) return this.#forecastReferences(references, signal)
    const latest = await this.#latestVersion(subject, signal)
    if (latest === null) return { tag: 'expected' }
    if (this.#isForbiddenTwice) return this.#exists(subject)
    const { name } = subject
    const answer = await this.#try(subject, schema, signal)
    if (answer.status === 409) return { tag: 'refused', error: await this.#refusal(subject, schema, answer, signal) }
    this.#answers.document(answer, name)
    const level = await this.#levelOf(subject, signal)
    return { tag: 'compatible', subject: name, version: latest.version, level }
  }

  get #isForbiddenTwice(): boolean {
    return this.#options.ifExists === 'FAIL'
  }

  #exists({ name: subject }: RegistrySubject): SchemaForecast {
    const { ifExists: property } = this.#answers.names
    return { tag: 'refused', error: converterErrors.SCHEMA_EXISTS({ subject, property, detail: '' }) }
  }

  /** What has changed is in one of them: the text of the schema around names them and stays the same. */
  async #forecastReferences(references: readonly SchemaReference[], signal: AbortSignal): Promise<SchemaForecast> {
    const asked = new Set<string>()
    let forecast: SchemaForecast = { tag: 'expected' }
    for (const reference of references) {
      if (asked.has(reference.name)) continue
      asked.add(reference.name)
      const next = await this.#forecast(this.#subjectOf(reference), reference.schema, signal)
      if (next.tag === 'refused') return next
      if (next.tag === 'compatible') forecast = next
    }
    return forecast
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#answers.check('/system/info', signal)
  }

  waitingFor(nowMs: number): Error | null {
    return this.#answers.waitingFor(nowMs)
  }

  schemaOf(id: bigint, signal: AbortSignal): Promise<StoredSchema> {
    const first = `/ids/${this.#options.idName}s/${id}`
    // By content id the registry (3.0.9) gives no schema whole, whatever `references` says.
    return storedSchema(first, (path) =>
      this.#schemaAt(path, { suffix: path === first ? '' : '/content', subject: `of id ${id}`, signal }),
    )
  }

  async #schemaAt(
    path: string,
    { suffix, subject, signal }: { readonly suffix: string; readonly subject: string; readonly signal: AbortSignal },
  ): Promise<SchemaAtPath> {
    const answer = await this.#answers.request({ method: 'GET', subject, path: path + suffix }, signal)
    this.#answers.document(answer, subject)
    const references = await this.#answers.request({ method: 'GET', subject, path: `${path}/references` }, signal)
    this.#answers.document(references, subject)
    const paths = listOf(references.json).map(({ groupId, artifactId, version }) => {
      const artifact = { group: typeof groupId === 'string' ? groupId : null, name: String(artifactId) }
      return `${pathOf(artifact)}/versions/${encodeURIComponent(String(version))}`
    })
    return { text: answer.text, references: paths }
  }

  async #register(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const answer = await this.#create(subject, schema, signal)
    if (answer.status === 409) throw await this.#refusal(subject, schema, answer, signal)
    const { version } = this.#answers.document(answer, subject.name)
    return this.#idOf(version, answer)
  }

  async #registerReference(reference: SchemaReference, signal: AbortSignal): Promise<ArtifactReference> {
    const { name, schema } = reference
    const subject = this.#subjectOf(reference)
    const answer = await this.#create(subject, schema, signal)
    if (answer.status === 409) throw await this.#refusal(subject, schema, answer, signal)
    const { version } = this.#answers.document(answer, name)
    const [groupId, number] = [textOf(version, 'groupId'), textOf(version, 'version')]
    if (number === null) throw this.#answers.misunderstood(answer.url, 'version is missing')
    return { groupId, artifactId: name, version: number, name }
  }

  #subjectOf({ name, namespace }: SchemaReference): RegistrySubject {
    return { group: this.#options.groupOfReference(namespace), name }
  }

  /** What the schema refers to is registered first. */
  async #create({ group, name }: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<HttpAnswer> {
    const { text, references } = schema.parts ?? { text: schema.text, references: [] }
    const versions = await this.#references.versionsOf(references, signal)
    const path = `/groups/${groupOf(group)}/artifacts?ifExists=${this.#options.ifExists}`
    const content = { content: text, contentType: 'application/json', ...referencesMember(versions) }
    const body = { artifactId: name, artifactType: 'AVRO', firstVersion: { content } }
    return this.#answers.request({ method: 'POST', subject: name, path, body }, signal)
  }

  /** As a version of the artifact that is there: by the path of `#create` the registry (3.0.9) registers it, `dryRun` or not. */
  #try(subject: RegistrySubject, { text }: RegisteredSchema, signal: AbortSignal): Promise<HttpAnswer> {
    const path = `${pathOf(subject)}/versions?dryRun=true`
    const body = { content: { content: text, contentType: 'application/json' } }
    return this.#answers.request({ method: 'POST', subject: subject.name, path, body }, signal)
  }

  async #lookUp(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const id = await this.#find(subject, schema, signal)
    if (id !== null) return id
    const latest = await this.#latestVersion(subject, signal)
    throw notRegistered({ subject: subject.name, schema: schema.text, latest }, this.#answers.names)
  }

  /** Null: the artifact does not have the schema. */
  async #find(
    subject: RegistrySubject,
    { text, parts }: RegisteredSchema,
    signal: AbortSignal,
  ): Promise<bigint | null> {
    for (const isCanonical of [true, false]) {
      const id = await this.#search(subject, { text, isCanonical }, signal)
      if (id !== null) return id
    }
    if (parts === null || parts.references.length === 0) return null
    // The search does not find schemas that refer to others: Java cannot do without registering then.
    const latest = await this.#latestVersion(subject, signal)
    return latest?.schema === text ? latest.id : null
  }

  /** The newest version with that schema, compared by what it means or by its text. */
  async #search(
    { group, name }: RegistrySubject,
    { text, isCanonical }: { readonly text: string; readonly isCanonical: boolean },
    signal: AbortSignal,
  ): Promise<bigint | null> {
    const artifact = `groupId=${groupOf(group)}&artifactId=${encodeURIComponent(name)}&artifactType=AVRO`
    const path = `/search/versions?${artifact}&canonical=${isCanonical}&orderby=globalId&order=desc`
    // As it is: numbers of defaults do not survive JSON.parse.
    const answer = await this.#answers.request({ method: 'POST', subject: name, path, text }, signal)
    const [version] = listOf(this.#answers.document(answer, name)['versions'])
    return version === undefined ? null : this.#idOf(version, answer)
  }

  async #latest(subject: RegistrySubject, { text: schema }: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const { names } = this.#answers
    const latest = await this.#latestVersion(subject, signal)
    const refused = { subject: subject.name, schema, latest }
    if (latest === null) throw notRegistered(refused, names)
    const refusal = notTheLatest(refused, latest, names)
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
    const content = await this.#answers.request(
      { method: 'GET', subject: name, path: `${path}/content${WHOLE}` },
      signal,
    )
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
    { text: schema }: RegisteredSchema,
    answer: HttpAnswer,
    signal: AbortSignal,
  ): Promise<CodedError> {
    const { name } = subject
    const [detail, said] = [detailOf(answer), String(fieldOf(answer, 'name'))]
    if (said === 'ArtifactAlreadyExistsException') {
      return converterErrors.SCHEMA_EXISTS({ subject: name, property: this.#answers.names.ifExists, detail })
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

/** A schema comes with all that it refers to put in its place. */
const WHOLE = '?references=DEREFERENCE'

/** As Java's client writes it: without what is null. */
function referencesMember(versions: readonly ArtifactReference[]): { readonly references?: readonly unknown[] } {
  if (versions.length === 0) return {}
  return {
    references: versions.map(({ groupId, ...version }) => (groupId === null ? version : { groupId, ...version })),
  }
}

function textOf(version: unknown, name: string): string | null {
  if (typeof version !== 'object' || version === null) return null
  const value = (version as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : null
}
