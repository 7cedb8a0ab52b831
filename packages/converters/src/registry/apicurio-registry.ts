import type { CodedError } from '@tributary/support'
import { isJsonObject, membersOf } from '../avro-schema/json-object.ts'
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
import { objectsOf, type SchemaAtPath, storedSchema } from './stored-schema.ts'

export interface ApicurioOptions {
  readonly isAutomatic: boolean
  /** `apicurio.registry.find-latest` */
  readonly usesLatest: boolean
  /** Which of the registry's two ids is written before values. */
  readonly idName: 'contentId' | 'globalId'
  /** How to register under an artifact that exists: `apicurio.registry.auto-register.if-exists`. */
  readonly ifExists: string
  /** The group of a schema that others refer to; null for the default group. */
  readonly groupOfReference: (namespace: string | null) => string | null
}

/** Client of Apicurio Registry's native interface, "Apicurio Registry API v3" (`/apis/registry/v3`). */
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
    // Without auto-registration, asking for the id changes nothing.
    if (!this.#options.isAutomatic) return forecastOf(() => this.idOf(subject, schema, signal))
    // With FAIL, an existing artifact is refused whatever its schema is. References are not: those with a known version
    // are not created.
    if (this.#allowsOneVersion && (await this.#latestVersion(subject, signal)) !== null) return this.#exists(subject)
    return this.#forecast(subject, schema, signal)
  }

  async #forecast(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<SchemaForecast> {
    if ((await this.#find(subject, schema, signal)) !== null) return { tag: 'expected' }
    const references = schema.parts?.references ?? []
    if (references.length > 0) return this.#forecastReferences(references, signal)
    const latest = await this.#latestVersion(subject, signal)
    if (latest === null) return { tag: 'expected' }
    if (this.#allowsOneVersion) return this.#exists(subject)
    const { name } = subject
    const answer = await this.#dryRun(subject, schema, signal)
    if (answer.status === 409) return { tag: 'refused', error: await this.#refusal(subject, schema, answer, signal) }
    this.#answers.requireJson(answer, name)
    const level = await this.#levelOf(subject, signal)
    return { tag: 'compatible', subject: name, version: latest.version, level }
  }

  /** With `FAIL`, an artifact gets no second version. */
  get #allowsOneVersion(): boolean {
    return this.#options.ifExists === 'FAIL'
  }

  #exists({ name: subject }: RegistrySubject): SchemaForecast {
    const { ifExists: property } = this.#answers.names
    return { tag: 'refused', error: converterErrors.SCHEMA_EXISTS({ subject, property, detail: '' }) }
  }

  /** Only references can have changed: the text of the enclosing schema contains nothing but their names. */
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

  warnings(): readonly CodedError[] {
    return this.#answers.warnings()
  }

  pendingFailure(nowMs: number): Error | null {
    return this.#answers.pendingFailure(nowMs)
  }

  schemaOf(id: bigint, signal: AbortSignal): Promise<StoredSchema> {
    const first = `/ids/${this.#options.idName}s/${id}`
    // By content id the registry (3.0.9) does not dereference schemas, whatever the parameter `references` is.
    return storedSchema(first, (path) =>
      this.#schemaAt(path, { suffix: path === first ? '' : '/content', subject: `of id ${id}`, signal }),
    )
  }

  async #schemaAt(
    path: string,
    { suffix, subject, signal }: { readonly suffix: string; readonly subject: string; readonly signal: AbortSignal },
  ): Promise<SchemaAtPath> {
    const answer = await this.#answers.request({ method: 'GET', subject, path: path + suffix }, signal)
    this.#answers.requireSchema(answer, subject)
    const references = await this.#answers.request({ method: 'GET', subject, path: `${path}/references` }, signal)
    this.#answers.requireJson(references, subject)
    const paths = objectsOf(references.json).map(({ groupId, artifactId, version }) => {
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

  /** Registers the references first, then the schema. */
  async #create({ group, name }: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<HttpAnswer> {
    const { text, references } = schema.parts ?? { text: schema.text, references: [] }
    const versions = await this.#references.versionsOf(references, signal)
    const path = `/groups/${groupOf(group)}/artifacts?ifExists=${this.#options.ifExists}`
    const content = { content: text, contentType: 'application/json', ...referencesMember(versions) }
    const body = { artifactId: name, artifactType: 'AVRO', firstVersion: { content } }
    return this.#answers.request({ method: 'POST', subject: name, path, body }, signal)
  }

  /**
   * Asks whether the artifact would accept the schema as a new version. Not on the path of `#create`, where the
   * registry (3.0.9) ignores `dryRun` and registers the schema.
   */
  #dryRun(subject: RegistrySubject, { text }: RegisteredSchema, signal: AbortSignal): Promise<HttpAnswer> {
    const path = `${pathOf(subject)}/versions?dryRun=true`
    const body = { content: { content: text, contentType: 'application/json' } }
    return this.#answers.request({ method: 'POST', subject: subject.name, path, body }, signal)
  }

  async #lookUp(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const id = await this.#find(subject, schema, signal)
    if (id !== null) return id
    const latest = await this.#latestVersion(subject, signal)
    throw notRegistered({ subject: subject.name, schema, latest }, this.#answers.names)
  }

  /** Returns the id of the schema; null when the artifact does not have it. */
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
    // The search does not find schemas that refer to others; Java always registers them. Compares with the latest
    // version instead.
    const latest = await this.#latestVersion(subject, signal)
    return latest?.schema === text ? latest.id : null
  }

  /** Returns the newest version with that schema, compared in canonical form or by its text. */
  async #search(
    { group, name }: RegistrySubject,
    { text, isCanonical }: { readonly text: string; readonly isCanonical: boolean },
    signal: AbortSignal,
  ): Promise<bigint | null> {
    const artifact = `groupId=${groupOf(group)}&artifactId=${encodeURIComponent(name)}&artifactType=AVRO`
    const path = `/search/versions?${artifact}&canonical=${isCanonical}&orderby=globalId&order=desc`
    // Sent unparsed: JSON.parse would round numbers of defaults.
    const answer = await this.#answers.request({ method: 'POST', subject: name, path, text }, signal)
    const [version] = objectsOf(this.#answers.document(answer, name)['versions'])
    return version === undefined ? null : this.#idOf(version, answer)
  }

  async #latest(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint> {
    const { names } = this.#answers
    const latest = await this.#latestVersion(subject, signal)
    const refused = { subject: subject.name, schema, latest }
    if (latest === null) throw notRegistered(refused, names)
    const refusal = notTheLatest(refused, latest, names)
    if (refusal !== null) throw refusal
    return latest.id
  }

  /** Returns null when there is no such artifact. */
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
    this.#answers.requireSchema(content, name)
    return { id: this.#idOf(document, answer), version: String(document['version']), schema: content.text }
  }

  #idOf(version: unknown, { url }: HttpAnswer): bigint {
    if (!isJsonObject(version)) throw this.#answers.misunderstood(url, 'version is missing')
    return this.#answers.integer(version, this.#options.idName, url)
  }

  /**
   * Maps status 409 to an error: the artifact exists (`FAIL`), or a rule is violated; compatibility is one of the
   * rules.
   */
  async #refusal(
    subject: RegistrySubject,
    schema: RegisteredSchema,
    answer: HttpAnswer,
    signal: AbortSignal,
  ): Promise<CodedError> {
    const { name } = subject
    const [detail, exception] = [detailOf(answer), String(fieldOf(answer, 'name'))]
    if (exception === 'ArtifactAlreadyExistsException') {
      return converterErrors.SCHEMA_EXISTS({ subject: name, property: this.#answers.names.ifExists, detail })
    }
    const latest = /incompatible/i.test(detail) ? await this.#latestVersion(subject, signal) : null
    if (latest === null) return converterErrors.SCHEMA_REFUSED({ subject: name, status: answer.status, detail })
    const level = await this.#levelOf(subject, signal)
    const rules = `${answer.url}${pathOf(subject)}/rules`
    const allowance = `PUT ${rules}/COMPATIBILITY, or POST ${rules} where it has no such rule, with {"ruleType":"COMPATIBILITY","config":"NONE"}`
    return incompatible({ subject: name, schema, latest, level, answer, allowance })
  }

  /**
   * Returns the first compatibility rule found: the artifact's, its group's, or the global one. The account may not be
   * allowed to read them.
   */
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
  return membersOf(json)[name]
}

function pathOf({ group, name }: RegistrySubject): string {
  return `/groups/${groupOf(group)}/artifacts/${encodeURIComponent(name)}`
}

function groupOf(group: string | null): string {
  return encodeURIComponent(group ?? 'default')
}

/** Asks for a schema with its references replaced by what they refer to. */
const WHOLE = '?references=DEREFERENCE'

/** Omits null members, as Java's client does. */
function referencesMember(versions: readonly ArtifactReference[]): { readonly references?: readonly unknown[] } {
  if (versions.length === 0) return {}
  return {
    references: versions.map(({ groupId, ...version }) => (groupId === null ? version : { groupId, ...version })),
  }
}

function textOf(version: unknown, name: string): string | null {
  const value = membersOf(version)[name]
  return typeof value === 'string' ? value : null
}
