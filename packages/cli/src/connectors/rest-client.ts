import {
  type Clock,
  CodedError,
  describeError,
  StoppedError,
  tlsFailureText,
  toError,
  withTimeout,
} from '@tributary/support'
import { cliErrors } from '../errors.ts'

export interface RestClientOptions {
  /**
   * `http://host:port` or `host:port`, optionally with a path, under which a proxy serves the interface, and with a
   * user and password for the proxy.
   */
  readonly url: string
  readonly clock: Clock
  /** Called once for each wait, with its reason. */
  readonly onNote: (text: string) => void
  /** Ends a request and the waits between its repetitions, with a StoppedError. */
  readonly signal?: AbortSignal
  /** Default: 64 MiB, enough for a list of some thousand connectors. */
  readonly answerBytesMax?: number
}

/** A successful answer. */
export interface RestAnswer {
  readonly status: number
  /** The unparsed body; empty when the answer has none. */
  readonly text: string
  /** The parsed body; undefined when the answer has none. */
  readonly json: unknown
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The service answered with an error; the message is the service's. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError'
  readonly status: number
  /** The unparsed error document. */
  readonly text: string

  constructor(status: number, message: string, text: string) {
    super(message)
    this.status = status
    this.text = text
  }
}

/** The service itself answers with an error after 90 s. */
const LIMIT_SECONDS = 100
/** Long enough for a worker to start, and for a group of Connect workers to rebalance. */
const WAIT_LIMIT_MS = 60_000
const PAUSE_MS = 500
const ANSWER_BYTES_MAX = 64 * 2 ** 20

/** A client of the REST interface of a worker, of Tributary or of Kafka Connect. Sends one request at a time. */
export class RestClient {
  readonly #options: RestClientOptions
  readonly #base: URL
  readonly #authorization: string | null

  /** @throws SERVICE_URL_INVALID */
  constructor(options: RestClientOptions) {
    this.#options = options
    const base = parseUrl(options.url)
    const user = credentialsOf(base)
    this.#authorization = user === null ? null : `Basic ${Buffer.from(user).toString('base64')}`
    base.username = ''
    base.password = ''
    this.#base = base
  }

  /** Whether the address has a user and password. */
  get hasLogin(): boolean {
    return this.#authorization !== null
  }

  /** The address without user and password, for messages. */
  get url(): string {
    return this.#base.href.replace(/\/+$/, '')
  }

  /**
   * Repeats the request while the worker starts (503) or its group rebalances (409).
   *
   * @throws RefusedError, SERVICE_UNREACHABLE, SERVICE_LATE, SERVICE_LOGIN, SERVICE_FOREIGN
   */
  async request(method: Method, path: string, body?: string): Promise<RestAnswer> {
    const { clock, onNote } = this.#options
    const end = clock.now() + WAIT_LIMIT_MS
    for (let isWaiting = false; ; isWaiting = true) {
      try {
        return await this.#once(method, path, body)
      } catch (error) {
        if (!(error instanceof RefusedError) || !isTemporary(error) || clock.now() >= end) throw error
        if (!isWaiting) onNote(`${error.message} (${error.status}); retrying for up to ${WAIT_LIMIT_MS / 1000} s`)
        await clock.sleep(PAUSE_MS, this.#options.signal)
      }
    }
  }

  async #once(method: Method, path: string, body: string | undefined): Promise<RestAnswer> {
    const { status, text, location } = await this.#exchange(method, path, body)
    const json = parsed(text)
    const foreign = (reason: string): Error =>
      cliErrors.SERVICE_FOREIGN({ url: this.url, reason: `${reason} (${method} ${path})` })
    if (status >= 200 && status < 300) {
      if (text !== '' && json === undefined)
        throw foreign(`its answer with status ${status} is not JSON but ${beginning(text)}`)
      return { status, text, json }
    }
    if (status === 401) {
      const reason = this.#authorization === null ? '' : ': it refuses this name and password'
      throw cliErrors.SERVICE_LOGIN({ url: this.url, reason })
    }
    if (location !== null) throw foreign(`it answers with status ${status} and redirects to ${location}`)
    const message = errorMessage(json)
    if (message === null)
      throw foreign(`its answer with status ${status} is not an error document of Connect but ${beginning(text)}`)
    throw new RefusedError(status, message, text)
  }

  async #exchange(method: Method, path: string, body: string | undefined): Promise<Exchanged> {
    const url = new URL(this.url + path)
    const headers = {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(this.#authorization === null ? {} : { Authorization: this.#authorization }),
    }
    const { clock, signal: outer } = this.#options
    const ask = async (signal: AbortSignal): Promise<Exchanged> => {
      try {
        const answer = await fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal })
        const text = await this.#textOf(answer, `${method} ${path}`)
        return { status: answer.status, text, location: answer.headers.get('location') }
      } catch (error) {
        throw signal.aborted ? new StoppedError() : error
      }
    }
    try {
      return await withTimeout(clock, LIMIT_SECONDS * 1000, ask, outer)
    } catch (error) {
      if (error instanceof CodedError || outer?.aborted === true) throw error
      if (error instanceof StoppedError) {
        throw cliErrors.SERVICE_LATE({ url: this.url, request: `${method} ${path}`, seconds: LIMIT_SECONDS }, error)
      }
      throw cliErrors.SERVICE_UNREACHABLE({ url: this.url, reason: reasonOf(error) }, error)
    }
  }

  /** Reads a limited number of bytes, since a program other than a worker may send without end. */
  async #textOf({ body }: Response, request: string): Promise<string> {
    const { answerBytesMax = ANSWER_BYTES_MAX } = this.#options
    const parts: Uint8Array[] = []
    let bytes = 0
    const stream: AsyncIterable<Uint8Array> | null = body
    for await (const part of stream ?? []) {
      bytes += part.length
      if (bytes > answerBytesMax) {
        const reason = `its answer has more than ${Math.floor(answerBytesMax / 2 ** 20)} MiB (${request})`
        throw cliErrors.SERVICE_FOREIGN({ url: this.url, reason })
      }
      parts.push(part)
    }
    return new TextDecoder().decode(Buffer.concat(parts))
  }
}

interface Exchanged {
  readonly status: number
  readonly text: string
  /** The target of a redirect; null for any other answer. */
  readonly location: string | null
}

function parseUrl(text: string): URL {
  const withScheme = text.includes('://') ? text : `http://${text}`
  const url = URL.parse(withScheme)
  if (url === null) throw cliErrors.SERVICE_URL_INVALID({ url: hidden(text), reason: 'it is not a URL' })
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw cliErrors.SERVICE_URL_INVALID({
      url: hidden(text),
      reason: `${url.protocol.slice(0, -1)} is not http or https`,
    })
  }
  if (url.search !== '' || url.hash !== '') {
    throw cliErrors.SERVICE_URL_INVALID({ url: hidden(text), reason: 'it has more than a path (? or #)' })
  }
  return url
}

/** `user:password` of an address; null if it has no user. */
function credentialsOf({ username, password, href }: URL): string | null {
  if (username === '') return null
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch (error) {
    const reason = 'write a % in the user or password as %25'
    throw cliErrors.SERVICE_URL_INVALID({ url: hidden(href), reason }, error)
  }
}

/** An unparsable address may still contain a password. */
function hidden(url: string): string {
  return url.replace(/\/\/.*@/, '//…@')
}

/** Errors that end without intervention: the worker is starting (503), or its group is rebalancing (409). */
function isTemporary({ status, message }: RefusedError): boolean {
  return status === 503 || (status === 409 && /rebalanc|momentarily|stale configuration/i.test(message))
}

/** The message of a Connect error document; null for any other document. */
function errorMessage(json: unknown): string | null {
  if (typeof json !== 'object' || json === null || !('error_code' in json) || !('message' in json)) return null
  return typeof json.message === 'string' ? json.message : `error ${String(json.error_code)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first words of a page, without its tags, so that the user can recognize it. */
function beginning(text: string): string {
  const words = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const start = words.length > 80 ? `${words.slice(0, 80)}…` : words
  return start === '' ? 'empty' : `“${start}”`
}

/**
 * The message of fetch is always “fetch failed”. Its cause is the reason: for a host with several addresses, an error
 * for each.
 */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (cause instanceof AggregateError) return cause.errors.map(describeError).join(', ')
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return TLS_REASONS[code] ?? (isTls(code) ? tlsFailureText(toError(cause)) : describeError(cause))
}

function isTls(code: string): boolean {
  return /^(ERR_(SSL|TLS|OSSL)_|CERT_|INVALID_)|^UNABLE_TO_|^EPROTO$/.test(code)
}

/** Replacements for messages of OpenSSL that do not name the fault. */
const TLS_REASONS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not use TLS; use http:// instead of https://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not use TLS; use http:// instead of https://',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; set NODE_EXTRA_CA_CERTS to a file with that certificate',
  SELF_SIGNED_CERT_IN_CHAIN:
    'an unknown authority signed its certificate; set NODE_EXTRA_CA_CERTS to a file with the certificate of that authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'an unknown authority signed its certificate; set NODE_EXTRA_CA_CERTS to a file with the certificate of that authority',
}
