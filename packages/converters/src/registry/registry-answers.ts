import { converterErrors } from '../errors.ts'
import { messageOf, NoAnswer, type HttpAnswer, type HttpClient, type HttpRequest } from './http-client.ts'
import type { RegistryPropertyNames } from './registry-property-names.ts'

/** Somebody waits for the answer to a registration; Kafka Connect's clients give up after 90 s. */
const CHECK_MS_MAX = 10_000

/** A registry stores a schema in some hundredths of a second: one that takes less than this is well. */
const SILENCE_MS = 5_000

/** A registry's answers, with what is wrong with all of them alike told as our errors. */
export class RegistryAnswers {
  readonly #http: HttpClient
  readonly names: RegistryPropertyNames

  constructor(http: HttpClient, names: RegistryPropertyNames) {
    this.#http = http
    this.names = names
  }

  /**
   * An answer with which something can be done: not of a server in trouble, not a refused login, not of somebody who does not know the
   * address.
   */
  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.ask(request, signal)
    const { url, status } = answer
    if (status === 401 || status === 403) throw this.#refusedLogin(answer, `subject ${request.subject}`)
    if (status === 404 && !isAbsence(answer)) throw this.#unknownPath(url, answer)
    return answer
  }

  /** Any answer but that of a server in trouble: for what may be refused without harm. */
  async ask(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      return await this.#http.request(request, signal)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const { subject } = request
      throw converterErrors.REGISTRY_UNAVAILABLE({ subject, reason: error.message, property: this.names.url }, error)
    }
  }

  /** What has been waited for for some seconds, as the error that it would end with; null: nothing. */
  waitingFor(nowMs: number): Error | null {
    const pending = this.#http.slowest
    if (pending === null || nowMs - pending.sinceMs < SILENCE_MS) return null
    const { subject, host, sinceMs, isConnected } = pending
    const seconds = Math.floor((nowMs - sinceMs) / 1000)
    const reason = isConnected
      ? `${host} took the request and has not answered for ${seconds} s`
      : `no connection to ${host} for ${seconds} s`
    return converterErrors.REGISTRY_UNAVAILABLE({ subject, reason, property: this.names.url })
  }

  /**
   * Asks for something that every account may see. All addresses together get ten seconds.
   *
   * @throws REGISTRY_NOT_REACHED, REGISTRY_REFUSES_LOGIN, REGISTRY_PATH_UNKNOWN, or REGISTRY_ANSWER when something else answers
   */
  async check(path: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#askOnce(path, signal)
    const { url, status } = answer
    if (status === 401) throw this.#refusedLogin(answer, 'anything')
    if (status === 404) throw this.#unknownPath(url, answer)
    // A right that is missing for this says nothing of the subjects.
    if (status === 403 || (status === 200 && answer.json !== undefined)) return
    throw this.misunderstood(url, `${path} gives status ${status}${detailOf(answer)}`)
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

  /** The answer as a document; anything but success is told. */
  document(answer: HttpAnswer, subject: string): Readonly<Record<string, unknown>> {
    const { status, json, url } = answer
    if (status !== 200) throw converterErrors.SCHEMA_REFUSED({ subject, status, detail: detailOf(answer) })
    if (typeof json === 'object' && json !== null) return json as Readonly<Record<string, unknown>>
    throw this.misunderstood(url, 'the body is not a JSON document')
  }

  /** A whole number of a document. */
  integer(document: Readonly<Record<string, unknown>>, name: string, url: string): bigint {
    const value = document[name]
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
    throw this.misunderstood(url, `${name} is missing`)
  }

  misunderstood(url: string, reason: string): Error {
    return converterErrors.REGISTRY_ANSWER({ url, reason, property: this.names.url })
  }
}

/**
 * A registry says what is missing: with the codes of Confluent's interface, 40401 (subject), 40402 (version), 40403 (schema) and those of
 * what was deleted, or with the exception of Apicurio's own (Artifact…, Version…, Content…NotFoundException). Status 404 without that comes
 * from a server, or a proxy, that does not know the path.
 */
function isAbsence({ json }: HttpAnswer): boolean {
  if (typeof json !== 'object' || json === null) return false
  const { error_code: code, name } = json as Readonly<Record<string, unknown>>
  return /^404\d\d$/.test(String(code)) || /^[A-Z]\w+NotFoundException$/.test(String(name))
}

export function detailOf(answer: HttpAnswer): string {
  const message = messageOf(answer)
  return message === '' ? '' : ` (${message})`
}
