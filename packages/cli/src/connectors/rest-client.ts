import { type Clock, describeError, StoppedError, withTimeout } from '@tributary/support'
import { cliErrors } from '../errors.ts'

export interface RestClientOptions {
  /** `http://host:port`, also with a path before that of the interface, or with the user of a proxy; `host:port` is http. */
  readonly url: string
  readonly clock: Clock
  /** Tells what is waited for, once each time it begins. */
  readonly onNote: (text: string) => void
}

/** An answer of success. */
export interface RestAnswer {
  readonly status: number
  /** The body as it came; empty when there is none. */
  readonly text: string
  /** The body as JSON; undefined when there is none. */
  readonly json: unknown
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A refusal of the service, in its words. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError'
  readonly status: number
  /** The document of the error as it came. */
  readonly text: string

  constructor(status: number, message: string, text: string) {
    super(message)
    this.status = status
    this.text = text
  }
}

/** The service gives an operation up after 90 s and answers so. */
const LIMIT_SECONDS = 100
/** A worker reads its topics in seconds, a group of Connect workers settles in less than this. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 500

/** The REST interface of a worker, ours or Kafka Connect's. One request at a time is enough for a command. */
export class RestClient {
  readonly #options: RestClientOptions
  readonly #base: URL
  readonly #authorization: string | null

  /** @throws SERVICE_URL_INVALID */
  constructor(options: RestClientOptions) {
    this.#options = options
    const base = parseUrl(options.url)
    const { username, password } = base
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    this.#authorization = username === '' ? null : `Basic ${Buffer.from(user).toString('base64')}`
    base.username = ''
    base.password = ''
    this.#base = base
  }

  /** The address as messages show it: without a password. */
  get url(): string {
    return this.#base.href.replace(/\/$/, '')
  }

  /**
   * Asks until there is an answer: a worker that is starting, or whose group distributes its work anew, is waited for.
   *
   * @throws RefusedError, SERVICE_UNREACHABLE, SERVICE_LATE, SERVICE_FOREIGN
   */
  async request(method: Method, path: string, body?: string): Promise<RestAnswer> {
    const { clock, onNote } = this.#options
    const end = clock.now() + PATIENCE_MS
    for (let hasTold = false; ; hasTold = true) {
      try {
        return await this.#once(method, path, body)
      } catch (error) {
        if (!(error instanceof RefusedError) || !isPassing(error) || clock.now() >= end) throw error
        if (!hasTold) onNote(`${error.message}; waiting for it`)
        await clock.sleep(PAUSE_MS)
      }
    }
  }

  async #once(method: Method, path: string, body: string | undefined): Promise<RestAnswer> {
    const request = `${method} ${path}`
    const { status, text, location } = await this.#exchange(method, path, body)
    const json = parsed(text)
    const foreign = (reason: string): Error => cliErrors.SERVICE_FOREIGN({ request, url: this.url, reason })
    if (status >= 200 && status < 300) {
      if (text !== '' && json === undefined) throw foreign(`its answer (${status}) is not JSON but ${beginning(text)}`)
      return { status, text, json }
    }
    if (location !== null) throw foreign(`it sends elsewhere (${status}, to ${location})`)
    const message = errorMessage(json)
    if (message === null) throw foreign(`its error (${status}) is not of Connect's form but ${beginning(text)}`)
    throw new RefusedError(status, message, text)
  }

  async #exchange(method: Method, path: string, body: string | undefined): Promise<Exchanged> {
    const url = new URL(this.url + path)
    const headers = {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(this.#authorization === null ? {} : { Authorization: this.#authorization }),
    }
    try {
      return await withTimeout(this.#options.clock, LIMIT_SECONDS * 1000, async (signal) => {
        try {
          const answer = await fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal })
          return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') }
        } catch (error) {
          throw signal.aborted ? new StoppedError() : error
        }
      })
    } catch (error) {
      if (error instanceof StoppedError) {
        throw cliErrors.SERVICE_LATE({ url: this.url, request: `${method} ${path}`, seconds: LIMIT_SECONDS }, error)
      }
      throw cliErrors.SERVICE_UNREACHABLE({ url: this.url, reason: reasonOf(error) }, error)
    }
  }
}

interface Exchanged {
  readonly status: number
  readonly text: string
  /** Where a redirection points to. */
  readonly location: string | null
}

function parseUrl(text: string): URL {
  const withScheme = text.includes('://') ? text : `http://${text}`
  const url = URL.parse(withScheme)
  if (url === null) throw cliErrors.SERVICE_URL_INVALID({ url: hidden(text), reason: 'it cannot be read as a URL' })
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw cliErrors.SERVICE_URL_INVALID({
      url: hidden(text),
      reason: `${url.protocol.slice(0, -1)} is not http or https`,
    })
  }
  return url
}

/** An address that cannot be read may have a password in it all the same. */
function hidden(url: string): string {
  return url.replace(/\/\/.*@/, '//…@')
}

/** What passes by itself: a worker that starts (503), and a group of workers that distributes connectors anew (409). */
function isPassing({ status, message }: RefusedError): boolean {
  return status === 503 || (status === 409 && /rebalanc|momentarily|stale configuration/i.test(message))
}

/** The message of Connect's error document; null: it is none. */
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

/** The first words of a page, for a person to recognize it by. */
function beginning(text: string): string {
  const words = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const start = words.length > 80 ? `${words.slice(0, 80)}…` : words
  return start === '' ? 'empty' : `“${start}”`
}

/** fetch says “fetch failed”; why is in its cause, which for a name with several addresses holds an error for each. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (cause instanceof AggregateError) return cause.errors.map(describeError).join(', ')
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return TLS_REASONS[code] ?? describeError(cause)
}

/** What OpenSSL says of them helps nobody. */
const TLS_REASONS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there; write http:// instead of https://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there; write http:// instead of https://',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is signed by itself; let NODE_EXTRA_CA_CERTS name a file with that certificate',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is of an authority that is not known here; let NODE_EXTRA_CA_CERTS name a file with the certificate of that authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is of an authority that is not known here; let NODE_EXTRA_CA_CERTS name a file with the certificate of that authority',
}
