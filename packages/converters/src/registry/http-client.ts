import { StoppedError, toError, withTimeout, type Clock } from '@tributary/support'
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestTls } from 'node:https'
import type { ConnectionOptions } from 'node:tls'

export interface HttpClientOptions {
  /** Asked in turn until one answers; the one that answered last comes first. */
  readonly urls: readonly URL[]
  /** Sent with every request: content type and login. */
  readonly headers: Readonly<Record<string, string>>
  /** Login by the URL's own user and password. */
  readonly usesUrlLogin: boolean
  readonly tls: ConnectionOptions
  readonly timeoutMs: number
  readonly clock: Clock
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** Behind the path of the URL, with its slash. */
  readonly path: string
  /** Becomes JSON. */
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly text?: string
  /** An address may not take longer, whatever the options say. */
  readonly timeoutMsMax?: number
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
  readonly url: string
}

/** Nobody could answer: why, per address. Waiting may help. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer'
}

/** A client of one service that stands at several addresses. Each request is one connection: there are few. */
export class HttpClient {
  readonly #options: HttpClientOptions
  #first = 0

  constructor(options: HttpClientOptions) {
    this.#options = options
  }

  /**
   * The first answer that is not of a server in trouble (500 and above, 429, 408).
   *
   * @throws NoAnswer when there is none; StoppedError when the signal fires
   */
  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { urls } = this.#options
    const reasons: string[] = []
    for (let i = 0; i < urls.length; i++) {
      const nth = (this.#first + i) % urls.length
      const url = urls[nth] as URL
      try {
        const answer = await this.#requestOf(url, request, signal)
        if (!isTrouble(answer.status)) {
          this.#first = nth
          return answer
        }
        reasons.push(`${url.host} answered ${answer.status}${shortText(answer)}`)
      } catch (error) {
        if (signal.aborted || error instanceof StoppedError) throw new StoppedError()
        reasons.push(`${url.host}: ${reasonOf(toError(error))}`)
      }
    }
    throw new NoAnswer(reasons.join('; '))
  }

  async #requestOf(url: URL, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { clock } = this.#options
    const timeoutMs = Math.min(this.#options.timeoutMs, request.timeoutMsMax ?? Infinity)
    try {
      return await withTimeout(clock, timeoutMs, (limit) => this.#send(url, request, limit), signal)
    } catch (error) {
      const isLate = toError(error).name === 'AbortError'
      if (isLate && !signal.aborted) throw new Error(`no answer within ${timeoutMs} ms`, { cause: error })
      throw error
    }
  }

  #send(url: URL, { method, path, body, text }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { headers, usesUrlLogin, tls } = this.#options
    const isTls = url.protocol === 'https:'
    const options: RequestOptions & ConnectionOptions = {
      method,
      signal,
      // No connection is used again: one that a balancer has closed meanwhile would fail, and its TLS may be that of other options.
      agent: false,
      headers: { ...headers, ...(usesUrlLogin ? urlLogin(url) : {}) },
      ...(isTls ? tls : {}),
    }
    const target = new URL(url.pathname.replace(/\/$/, '') + path, url.origin)
    return new Promise((resolve, reject) => {
      const sent = (isTls ? requestTls : requestPlain)(target, options, (answer) => {
        readText(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, text, json: parsed(text), url: url.origin }),
          reject,
        )
      })
      sent.on('error', reject)
      sent.end(text ?? (body === undefined ? undefined : JSON.stringify(body)))
    })
  }
}

function isTrouble(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer) {
    // A stream of a request without an encoding gives buffers.
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}

/** A table has 4096 columns at most; its schema takes less than 2 MB, and comes quoted. */
const ANSWER_BYTES_MAX = 16 << 20

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function urlLogin({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  return { Authorization: basicLogin(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`) }
}

export function basicLogin(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`
}

/** A refused connection to `localhost` has no message, but causes. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((each) => toError(each).message).join(', ')
  return error.message
}

/** What a server in trouble says, when it is short. */
function shortText(answer: HttpAnswer): string {
  const text = messageOf(answer)
  return text === '' ? '' : ` (${text})`
}

/** The message of an error document, or what there is; cut, since it may be a page. */
export function messageOf({ json, text }: HttpAnswer): string {
  const document = typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : {}
  const told = [document['message'], document['detail'], document['title']].find((each) => typeof each === 'string')
  return (typeof told === 'string' ? told : text.trim()).slice(0, MESSAGE_LENGTH_MAX)
}

const MESSAGE_LENGTH_MAX = 500
