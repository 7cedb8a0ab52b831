import type { CodedError } from '@tributary/support'
import { membersOf, type JsonObject } from '../avro-schema/json-object.ts'
import { converterErrors } from '../errors.ts'
import { cut, messageOf, NoAnswer, type HttpAnswer, type HttpClient, type HttpRequest } from './http-client.ts'
import { isModest } from '../avro-schema/modest-json.ts'
import type { RegistryPropertyNames } from './registry-property-names.ts'

/** A client waits for the answer to its registration; Kafka Connect's clients time out after 90 s. */
const CHECK_MS_MAX = 10_000

/**
 * A registry stores a schema within some hundredths of a second; only requests in flight for longer than this are
 * reported.
 */
const SILENCE_MS = 5_000

/** Sends requests to a registry and turns failures that any request can have into errors of this package. */
export class RegistryAnswers {
  readonly #http: HttpClient
  readonly names: RegistryPropertyNames

  constructor(http: HttpClient, names: RegistryPropertyNames) {
    this.#http = http
    this.names = names
  }

  /**
   * Sends a request.
   *
   * @throws REGISTRY_UNAVAILABLE, REGISTRY_REFUSES_LOGIN, or REGISTRY_PATH_UNKNOWN when the server does not know the
   *   path
   */
  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.ask(request, signal)
    const { url, status } = answer
    if (status === 401 || status === 403) throw this.#refusedLogin(answer, `subject ${request.subject}`)
    if (status === 404 && !isAbsence(answer)) throw this.#unknownPath(url, answer)
    return answer
  }

  /** Sends a request whose refusal is no error for the caller. @throws REGISTRY_UNAVAILABLE */
  async ask(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      return await this.#http.request(request, signal)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const { subject } = request
      throw converterErrors.REGISTRY_UNAVAILABLE({ subject, reason: error.message, property: this.names.url }, error)
    }
  }

  /** Warnings about unencrypted connections that were opened: one for each address. */
  warnings(): readonly CodedError[] {
    // Both converters of a connector usually have the same registry, and one warning is enough.
    const property = this.names.url.replace(/^(key|value)\.converter\./, '')
    return this.#http.unencrypted.map((url) => converterErrors.REGISTRY_UNENCRYPTED({ url, property }))
  }

  /** Returns the error that describes the request in flight for more than five seconds; null when there is none. */
  pendingFailure(nowMs: number): Error | null {
    const pending = this.#http.slowest
    if (pending === null || nowMs - pending.sinceMs < SILENCE_MS) return null
    const { subject, host, sinceMs, isConnected } = pending
    const seconds = Math.floor((nowMs - sinceMs) / 1000)
    const reason = isConnected
      ? `${host} has received the request and has not answered for ${seconds} s`
      : `no connection to ${host} for ${seconds} s`
    return converterErrors.REGISTRY_UNAVAILABLE({ subject, reason, property: this.names.url })
  }

  /**
   * Requests a resource that every account may read, within ten seconds for all addresses together.
   *
   * @throws REGISTRY_NOT_REACHED, REGISTRY_REFUSES_LOGIN, REGISTRY_PATH_UNKNOWN, or REGISTRY_ANSWER when another kind
   *   of server answers
   */
  async check(path: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#askOnce(path, signal)
    const { url, status } = answer
    if (status === 401) throw this.#refusedLogin(answer, 'anything')
    if (status === 404) throw this.#unknownPath(url, answer)
    // The account may still be allowed to use its subjects.
    if (status === 403 || (status === 200 && answer.json !== undefined)) return
    throw this.misunderstood(url, `${path} returns status ${status}${redirect(answer)}${detailOf(answer)}`)
  }

  async #askOnce(path: string, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      return await this.#http.request({ method: 'GET', subject: 'any', path, limitMs: CHECK_MS_MAX }, signal)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      throw converterErrors.REGISTRY_NOT_REACHED({ property: this.names.url, reason: error.message }, error)
    }
  }

  #refusedLogin(answer: HttpAnswer, subject: string): Error {
    const { url, status } = answer
    const { login } = this.names
    return converterErrors.REGISTRY_REFUSES_LOGIN({ url, status, subject, login, detail: detailOf(answer) })
  }

  #unknownPath(url: string, answer: HttpAnswer): Error {
    const values = { url: url + answer.path.replace(/\?.*$/, ''), detail: detailOf(answer) }
    return converterErrors.REGISTRY_PATH_UNKNOWN({ ...values, property: this.names.url, hint: this.names.paths })
  }

  /** Returns the members of an answer's JSON object. @throws the errors of `requireJson` */
  document(answer: HttpAnswer, subject: string): JsonObject {
    this.requireJson(answer, subject)
    return membersOf(answer.json)
  }

  /**
   * @throws SCHEMA_REFUSED for any status but 200, REGISTRY_ANSWER for a body that is neither a JSON object nor an
   *   array
   */
  requireJson(answer: HttpAnswer, subject: string): void {
    this.#requireStatus(answer, subject)
    if (typeof answer.json !== 'object' || answer.json === null) throw this.misunderstood(answer.url, notJson(answer))
  }

  /** The same for the text of a schema, which is a JSON string if the schema has only a name: `"string"`. */
  requireSchema(answer: HttpAnswer, subject: string): void {
    this.#requireStatus(answer, subject)
    if (typeof answer.json !== 'string') this.requireJson(answer, subject)
  }

  #requireStatus(answer: HttpAnswer, subject: string): void {
    const { status, url } = answer
    if (status >= 300 && status < 400) throw this.misunderstood(url, `status ${status}${redirect(answer)}`)
    if (status !== 200) throw converterErrors.SCHEMA_REFUSED({ subject, status, detail: detailOf(answer) })
  }

  /** Returns an integer member of a document. */
  integer(document: JsonObject, name: string, url: string): bigint {
    const value = document[name]
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
    throw this.misunderstood(url, `${name} is missing`)
  }

  misunderstood(url: string, reason: string): Error {
    return converterErrors.REGISTRY_ANSWER({ url, reason, property: this.names.url })
  }
}

/**
 * True when a status 404 means that the subject, version or schema is missing. Confluent's interface then sends a code:
 * 40401 (subject), 40402 (version), 40403 (schema), or another one for deleted ones. Apicurio's own interface sends the
 * name of an exception (Artifact…, Version…, Content…NotFoundException). Any other 404 is that of a server or proxy
 * that does not know the path.
 */
function isAbsence({ json }: HttpAnswer): boolean {
  const { error_code: code, name } = membersOf(json)
  return /^404\d\d$/.test(String(code)) || /^[A-Z]\w+NotFoundException$/.test(String(name))
}

/** Where the answer redirects to. A password in it is not shown. */
function redirect({ location }: HttpAnswer): string {
  if (location === null) return ''
  const target = URL.parse(location)
  return `, which redirects to ${cut(target === null ? location : target.origin + target.pathname, LOCATION_LENGTH_MAX)}`
}

const LOCATION_LENGTH_MAX = 200

function notJson({ text }: HttpAnswer): string {
  return isModest(text)
    ? 'the body is not a JSON document'
    : 'the body has more values, or nests them more deeply, than a schema of any table'
}

export function detailOf(answer: HttpAnswer): string {
  const message = messageOf(answer)
  return message === '' ? '' : ` (${message})`
}
