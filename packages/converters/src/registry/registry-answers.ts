import { converterErrors } from '../errors.ts'
import { messageOf, NoAnswer, type HttpAnswer, type HttpClient, type HttpRequest } from './http-client.ts'

/** Somebody waits for the answer to a registration; Kafka Connect's clients give up after 90 s. */
const CHECK_MS_MAX = 10_000

/** A registry's answers, with what is wrong with all of them alike told as our errors. */
export class RegistryAnswers {
  readonly #http: HttpClient
  /** The property that names the registry, for messages. */
  readonly urlProperty: string

  constructor(http: HttpClient, urlProperty: string) {
    this.#http = http
    this.urlProperty = urlProperty
  }

  /** An answer with which something can be done: not of a server in trouble, and not a refused login. */
  async request(request: HttpRequest, subject: string, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.#ask(request, subject, signal)
    if (answer.status !== 401 && answer.status !== 403) return answer
    const { url, status } = answer
    throw converterErrors.REGISTRY_REFUSES_LOGIN({
      url,
      status,
      subject: `subject ${subject}`,
      detail: detailOf(answer),
    })
  }

  async #ask(request: HttpRequest, subject: string, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      return await this.#http.request(request, signal)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const { message } = error
      throw converterErrors.REGISTRY_UNAVAILABLE({ subject, reason: message, property: this.urlProperty }, error)
    }
  }

  /**
   * Asks for something that every account may see.
   *
   * @throws REGISTRY_NOT_REACHED, REGISTRY_REFUSES_LOGIN, or REGISTRY_ANSWER when something else answers
   */
  async check(path: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#askOnce(path, signal)
    const { url, status } = answer
    if (status === 401) {
      throw converterErrors.REGISTRY_REFUSES_LOGIN({ url, status, subject: 'anything', detail: detailOf(answer) })
    }
    // A right that is missing for this says nothing of the subjects.
    if (status === 403 || (status === 200 && answer.json !== undefined)) return
    throw this.misunderstood(url, `${path} gives status ${status}${detailOf(answer)}`)
  }

  async #askOnce(path: string, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      return await this.#http.request({ method: 'GET', path, timeoutMsMax: CHECK_MS_MAX }, signal)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      throw converterErrors.REGISTRY_NOT_REACHED({ property: this.urlProperty, reason: error.message }, error)
    }
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
    return converterErrors.REGISTRY_ANSWER({ url, reason, property: this.urlProperty })
  }
}

export function detailOf(answer: HttpAnswer): string {
  const message = messageOf(answer)
  return message === '' ? '' : ` (${message})`
}
