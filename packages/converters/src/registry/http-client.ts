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
  /** The property that names the certificates that are trusted, for messages. */
  readonly trustProperty: string
  readonly timeoutMs: number
  readonly clock: Clock
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** What it is about, for who looks what is waited for. */
  readonly subject: string
  /** Behind the path of the URL, with its slash. */
  readonly path: string
  /** Becomes JSON. */
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly text?: string
  /** All addresses together may not take longer, whatever the options say. */
  readonly limitMs?: number
}

/** A request that has no answer yet. */
export interface PendingRequest {
  readonly subject: string
  /** Who is waited for just now. */
  readonly host: string
  readonly sinceMs: number
  /** There is a connection, with TLS where it is asked for: the request was sent. */
  isConnected: boolean
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
  /** The address that answered, as it is configured, without a login. */
  readonly url: string
  /** Behind that address. */
  readonly path: string
}

/** Nobody could answer: why, per address. Waiting may help. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer'
}

/** A client of one service that stands at several addresses. Each request is one connection: there are few. */
export class HttpClient {
  readonly #options: HttpClientOptions
  #first = 0
  readonly #pending = new Set<PendingRequest>()

  constructor(options: HttpClientOptions) {
    this.#options = options
  }

  /** The request that has waited longest; null: none is under way. */
  get slowest(): PendingRequest | null {
    const [oldest] = [...this.#pending].toSorted((a, b) => a.sinceMs - b.sinceMs)
    return oldest ?? null
  }

  /**
   * The first answer that is not of a server in trouble (500 and above, 429, 408).
   *
   * @throws NoAnswer when there is none; StoppedError when the signal fires
   */
  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { urls, clock, timeoutMs, trustProperty } = this.#options
    const reasons: string[] = []
    const endMs = request.limitMs === undefined ? Infinity : clock.now() + request.limitMs
    for (let i = 0; i < urls.length; i++) {
      const nth = (this.#first + i) % urls.length
      const url = urls[nth] as URL
      try {
        // What is left of the limit is shared: an address that is silent leaves the others their part.
        const shareMs = Math.max(1, Math.floor((endMs - clock.now()) / (urls.length - i)))
        const answer = await this.#requestOf(url, request, { timeoutMs: Math.min(timeoutMs, shareMs), signal })
        if (!isTrouble(answer.status)) {
          this.#first = nth
          return answer
        }
        reasons.push(`${url.host} answered ${answer.status}${shortText(answer)}`)
      } catch (error) {
        if (signal.aborted || error instanceof StoppedError) throw new StoppedError()
        reasons.push(`${url.host}: ${reasonOf(toError(error), trustProperty)}`)
      }
    }
    throw new NoAnswer(reasons.join('; '))
  }

  async #requestOf(url: URL, request: HttpRequest, { timeoutMs, signal }: Limit): Promise<HttpAnswer> {
    const { clock } = this.#options
    const pending = { subject: request.subject, host: url.host, sinceMs: clock.now(), isConnected: false }
    const onConnected = (): void => {
      pending.isConnected = true
    }
    this.#pending.add(pending)
    try {
      return await withTimeout(
        clock,
        timeoutMs,
        (limit) => this.#send(url, request, { signal: limit, onConnected }),
        signal,
      )
    } catch (error) {
      const isLate = toError(error).name === 'AbortError'
      if (isLate && !signal.aborted) throw new Error(`no answer within ${timeoutMs} ms`, { cause: error })
      throw error
    } finally {
      this.#pending.delete(pending)
    }
  }

  #send(url: URL, { method, path, body, text }: HttpRequest, { signal, onConnected }: Sending): Promise<HttpAnswer> {
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
    const base = url.pathname.replace(/\/$/, '')
    const target = new URL(base + path, url.origin)
    return new Promise((resolve, reject) => {
      const sent = (isTls ? requestTls : requestPlain)(target, options, (answer) => {
        readText(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, text, json: parsed(text), url: url.origin + base, path }),
          reject,
        )
      })
      // Each connection is new, so that the event is yet to come.
      sent.on('socket', (socket) => socket.once(isTls ? 'secureConnect' : 'connect', onConnected))
      sent.on('error', reject)
      sent.end(text ?? (body === undefined ? undefined : JSON.stringify(body)))
    })
  }
}

interface Limit {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

interface Sending {
  readonly signal: AbortSignal
  readonly onConnected: () => void
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
function reasonOf(error: Error, trustProperty: string): string {
  if (error instanceof AggregateError) return error.errors.map((each) => toError(each).message).join(', ')
  const code = 'code' in error ? String(error.code) : ''
  if (!CERTIFICATE_CODES.has(code)) return error.message
  return `its certificate is not trusted (${error.message}): set ${trustProperty}`
}

/** Of OpenSSL's reasons those that another trust store mends. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** What a server in trouble says, when it is short. */
function shortText(answer: HttpAnswer): string {
  const text = messageOf(answer)
  return text === '' ? '' : ` (${text})`
}

/** The message of an error document, or what there is; cut, since it may be a page, or repeat whole schemas. */
export function messageOf({ json, text }: HttpAnswer): string {
  const document = typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : {}
  const told = [document['message'], document['detail'], document['title']].find((each) => typeof each === 'string')
  return cut(typeof told === 'string' ? told : text.trim(), MESSAGE_LENGTH_MAX)
}

/** The beginning of a text, with a sign that there is more. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}

const MESSAGE_LENGTH_MAX = 500
