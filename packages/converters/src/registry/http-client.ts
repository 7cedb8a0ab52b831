import {
  assert,
  eachAddressText,
  isLoopback,
  StoppedError,
  tlsFailureText,
  toError,
  withTimeout,
  type Clock,
} from '@tributary/support'
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestTls } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { membersOf } from '../avro-schema/json-object.ts'
import { modestJson } from '../avro-schema/modest-json.ts'

export interface HttpClientOptions {
  /** Tried in turn until one answers, beginning with the one that answered the last request. */
  readonly urls: readonly URL[]
  /** Sent with every request: content type and login. */
  readonly headers: Readonly<Record<string, string>>
  /** Logs in with the user and password of the URL. */
  readonly usesUrlLogin: boolean
  readonly tls: ConnectionOptions
  /** The property that names the trusted certificates, for messages. */
  readonly trustProperty: string
  readonly timeoutMs: number
  readonly clock: Clock
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** Short description, reported while the request is pending. */
  readonly subject: string
  /** Appended to the path of the URL; begins with a slash. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly text?: string
  /** Limit for all addresses together, in addition to `timeoutMs` of each. */
  readonly limitMs?: number
}

/** A request in flight. */
export interface PendingRequest {
  readonly subject: string
  /** The address that has been asked last. */
  readonly host: string
  readonly sinceMs: number
  /** True once the connection, including TLS, is established and the request is sent. */
  isConnected: boolean
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown
  /** The address that answered, as configured, without user and password. */
  readonly url: string
  /** The path of the request after that address. */
  readonly path: string
  /** Where a redirect leads. The client does not follow it: it would send the login to any server. */
  readonly location: string | null
}

/** No address answered; the message has the reason for each. Waiting may help. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer'
}

/** Client of one service with several addresses. Opens a connection for each request, because requests are rare. */
export class HttpClient {
  readonly #options: HttpClientOptions
  #first = 0
  readonly #pending = new Set<PendingRequest>()
  readonly #unencrypted = new Set<string>()

  constructor(options: HttpClientOptions) {
    this.#options = options
  }

  /** The request that has been in flight longest; null when there is none. */
  get slowest(): PendingRequest | null {
    const [oldest] = [...this.#pending].toSorted((a, b) => a.sinceMs - b.sinceMs)
    return oldest ?? null
  }

  /** The addresses on other machines to which this client has opened connections without TLS. */
  get unencrypted(): readonly string[] {
    return [...this.#unencrypted]
  }

  /**
   * Returns the first answer that does not report a server problem (status 500 and above, 429, 408).
   *
   * @throws NoAnswer when no address answers; StoppedError when the signal fires
   */
  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { urls, clock, timeoutMs, trustProperty } = this.#options
    const reasons: string[] = []
    const endMs = request.limitMs === undefined ? Infinity : clock.now() + request.limitMs
    const order = [...urls.slice(this.#first), ...urls.slice(0, this.#first)]
    for (const [i, url] of order.entries()) {
      try {
        // The remaining time is divided among the remaining addresses, so that a silent one does not use up the limit.
        const shareMs = Math.max(1, Math.floor((endMs - clock.now()) / (order.length - i)))
        const answer = await this.#requestOf(url, request, { timeoutMs: Math.min(timeoutMs, shareMs), signal })
        if (!isServerProblem(answer.status)) {
          this.#first = urls.indexOf(url)
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
    const onConnected = (remoteAddress: string | undefined): void => {
      pending.isConnected = true
      const isRemote = remoteAddress !== undefined && !isLoopback(remoteAddress)
      if (url.protocol === 'http:' && isRemote) this.#unencrypted.add(url.origin)
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
      // Connections are not reused: a load balancer may have closed them, and a pooled one may have been opened with
      // other TLS options.
      agent: false,
      headers: { ...headers, ...(usesUrlLogin ? urlLogin(url) : {}) },
      ...(isTls ? tls : {}),
    }
    const base = url.pathname.replace(/\/$/, '')
    const target = new URL(base + path, url.origin)
    return new Promise((resolve, reject) => {
      const sent = (isTls ? requestTls : requestPlain)(target, options, (answer) => {
        readText(answer).then((text) => {
          const { statusCode: status = 0, headers } = answer
          resolve({
            status,
            text,
            json: parsed(text),
            url: url.origin + base,
            path,
            location: headers.location ?? null,
          })
        }, reject)
      })
      // The connection is always new, so that this event cannot have fired yet.
      sent.on('socket', (socket) =>
        socket.once(isTls ? 'secureConnect' : 'connect', () => onConnected(socket.remoteAddress)),
      )
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
  readonly onConnected: (remoteAddress: string | undefined) => void
}

function isServerProblem(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer) {
    // A stream without an encoding yields buffers.
    assert(Buffer.isBuffer(chunk), 'the answer is read as bytes')
    size += chunk.length
    if (size > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX >> 20} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/**
 * The schema of a table with 4096 columns, the maximum, is less than 2 MB; the answer contains it as a quoted string.
 */
const ANSWER_BYTES_MAX = 16 << 20

/** Undefined for a text that is not JSON, and for JSON that no registry sends. */
function parsed(text: string): unknown {
  try {
    return modestJson(text)
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

function reasonOf(error: Error, trustProperty: string): string {
  const code = 'code' in error ? String(error.code) : ''
  const text = eachAddressText(error, tlsFailureText)
  return CERTIFICATE_CODES.has(code) ? `its certificate is not trusted (${text}): set ${trustProperty}` : text
}

/** The OpenSSL error codes that another trust store fixes. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** The message of a server problem in parentheses; empty when there is none. */
function shortText(answer: HttpAnswer): string {
  const text = messageOf(answer)
  return text === '' ? '' : ` (${text})`
}

/**
 * Returns the message of an error document, or else the body. Cuts it, because it may be a page or repeat whole
 * schemas.
 */
export function messageOf({ json, text }: HttpAnswer): string {
  const document = membersOf(json)
  const message = [document['message'], document['detail'], document['title']].find((each) => typeof each === 'string')
  return cut(typeof message === 'string' ? message : text.trim(), MESSAGE_LENGTH_MAX)
}

/** Returns the beginning of a text, with an ellipsis when there is more. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}

const MESSAGE_LENGTH_MAX = 500
