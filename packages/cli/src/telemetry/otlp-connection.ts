import { eachAddressText, tlsFailureText, toError } from '@tributary/support'
import { Agent as PlainAgent, request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as requestTls } from 'node:https'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { cliErrors } from '../errors.ts'
import type { OtlpSettings } from './otlp-settings.ts'

/** The limit of an answer, which has an error message, or the number of refused values. */
const REPLY_BYTES_MAX = 64 * 1024
const REASON_LENGTH_MAX = 300

/**
 * Posts encoded metrics, each within the time of a signal. A redirection is an error: it would send the headers, which
 * may be secret, elsewhere.
 */
export class OtlpConnection {
  /** The receiver, for messages: without the query, which may be secret. */
  readonly address: string
  readonly #settings: OtlpSettings
  readonly #agent: PlainAgent

  constructor(settings: OtlpSettings) {
    const { origin, pathname, protocol } = settings.url
    this.address = `${origin}${pathname}`
    this.#settings = settings
    // At most one request at a time. The agent closes its idle connection when the receiver does.
    const limits = { keepAlive: true, maxSockets: 1 }
    this.#agent = protocol === 'https:' ? new TlsAgent({ ...limits, ...settings.tls }) : new PlainAgent(limits)
  }

  /**
   * Returns the body of the answer, which is empty if it is not in the encoding of the request.
   *
   * @throws OTLP_REFUSED
   */
  async send(metrics: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const body = this.#settings.isCompressed ? await promisify(gzip)(metrics) : metrics
    const { status, contentType, reply } = await this.#post(body, signal)
    const isPage = contentType.startsWith('text/html')
    if (status >= 200 && status < 300 && !isPage) {
      return contentType.startsWith(this.#contentType) ? reply : new Uint8Array()
    }
    if (isPage) throw this.#refused(`it answered status ${status} with a web page, so it is no receiver of OTLP`)
    const isText = /^(text\/|application\/json)/.test(contentType)
    const text = isText ? this.withoutSecrets(reply.toString('utf8').trim()) : ''
    throw this.#refused(`it answered status ${status}${text === '' ? '' : `: ${text}`}`)
  }

  get #contentType(): string {
    return this.#settings.format === 'json' ? 'application/json' : 'application/x-protobuf'
  }

  #post(body: Uint8Array, signal: AbortSignal): Promise<Answer> {
    const { url, headers, isCompressed } = this.#settings
    const options: RequestOptions = {
      method: 'POST',
      agent: this.#agent,
      signal,
      headers: {
        'User-Agent': 'tributary',
        ...headers,
        'Content-Type': this.#contentType,
        'Content-Length': body.length,
        ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
      },
    }
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        const reason = signal.aborted ? 'it did not answer in time' : eachAddressText(error, tlsFailureText)
        reject(this.#refused(reason))
      }
      const request = (url.protocol === 'https:' ? requestTls : requestPlain)(url, options, (answer) => {
        answerOf(answer).then(resolve, (error: unknown) => fail(toError(error)))
      })
      request.on('error', fail)
      request.end(body)
    })
  }

  #refused(reason: string): Error {
    return cliErrors.OTLP_REFUSED({ url: this.address, reason })
  }

  /** Removes secrets: a receiver may repeat the headers of the request in its answer, whole or in part. */
  withoutSecrets(text: string): string {
    const { headers, url } = this.#settings
    const values = [...Object.values(headers), ...url.searchParams.values()]
    const parts = values.flatMap((value) => [value, ...value.split(/[\s,;:=]+/)]).filter(({ length }) => length > 3)
    const ordered = parts.toSorted((one, other) => other.length - one.length)
    return ordered.reduce((shown, part) => shown.replaceAll(part, '[hidden]'), text).slice(0, REASON_LENGTH_MAX)
  }
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly reply: Buffer
}

async function answerOf(answer: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length
    // Leaving the loop closes the connection.
    if (length > REPLY_BYTES_MAX) break
    parts.push(part)
  }
  const { statusCode = 0, headers } = answer
  return { status: statusCode, contentType: headers['content-type'] ?? '', reply: Buffer.concat(parts) }
}
