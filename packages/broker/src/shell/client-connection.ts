import { toError, type Logger } from '@tributary/support'
import type { LoginSession } from '../login/login-session.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { MessageCodec } from '../protocol/message-codec.ts'
import type { RequestOf } from '../protocol/message-types.ts'
import { readRequestHeader, responseHead, type RequestHeader } from '../protocol/request-header.ts'
import type { Incoming } from '../core/broker-core.ts'
import type { ClientSocket } from './client-socket.ts'
import { FrameSplitter } from './frame-splitter.ts'

export interface ConnectionOptions {
  readonly codec: MessageCodec
  readonly logger: Logger
  /** null: clients need no login. */
  readonly login: LoginSession | null
  readonly handle: (incoming: Incoming, answer: (response: object | null) => void) => void
}

/** Requests that wait for the answer of an earlier one; with more the socket is not read. */
const WAITING_MAX = 16
/** Of all of them together: one request may have 100 MB, and there may be many connections. */
const WAITING_BYTES_MAX = 8 << 20

/**
 * One connection of a client. As in Kafka, its requests are processed one after the other, each when the answer of the
 * one before is written; a client that does not read its answers is not read from.
 *
 * What is no request that the broker supports closes the connection, except ApiVersions, whose answer lists the
 * versions.
 */
export class ClientConnection {
  readonly #socket: ClientSocket
  readonly #options: ConnectionOptions
  readonly #splitter = new FrameSplitter()
  readonly #waiting: Buffer[] = []
  readonly #clientHost: string
  #waitingBytes = 0
  #isBusy = false

  constructor(socket: ClientSocket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#clientHost = `/${socket.remoteAddress ?? ''}`
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#onData(chunk))
    socket.on('drain', () => this.#next())
    // The client has gone; `close` follows.
    socket.on('error', () => {})
  }

  close(): void {
    this.#socket.destroy()
  }

  #onData(chunk: Buffer): void {
    try {
      for (const frame of this.#splitter.push(chunk)) {
        this.#waiting.push(frame)
        this.#waitingBytes += frame.length
      }
    } catch (error) {
      this.#refuse(error)
      return
    }
    if (this.#isFull) this.#socket.pause()
    this.#next()
  }

  #next(): void {
    while (!this.#isBusy && !this.#socket.destroyed && !this.#socket.writableNeedDrain) {
      const frame = this.#waiting.shift()
      if (frame === undefined) break
      this.#waitingBytes -= frame.length
      this.#process(frame)
    }
    if (!this.#isFull && this.#socket.isPaused()) this.#socket.resume()
  }

  get #isFull(): boolean {
    return this.#waiting.length > WAITING_MAX || this.#waitingBytes > WAITING_BYTES_MAX
  }

  #process(frame: Buffer): void {
    const { codec, handle } = this.#options
    try {
      const header = readRequestHeader(frame)
      const { api, version, clientId, isSupported, reader } = header
      if (!isSupported) {
        this.#answerVersions(header)
        return
      }
      const body = codec.read(api.request, version, reader)
      if (this.#logIn(header, body)) return
      this.#isBusy = true
      handle({ api, version, body, clientId, clientHost: this.#clientHost }, (response) => {
        this.#isBusy = false
        if (response !== null) this.#write(header, version, response)
        // An answer during the call is followed by the loop of #next.
        queueMicrotask(() => this.#next())
      })
    } catch (error) {
      this.#refuse(error)
    }
  }

  /** Whether the request was part of a login. Throws for another request of a client that has not logged in. */
  #logIn(header: RequestHeader, body: unknown): boolean {
    const { login } = this.#options
    const { api, version } = header
    if (login === null || login.state === 'done' || api.name === 'ApiVersions') return false
    if (api.name === 'SaslHandshake') {
      this.#write(header, version, login.handshake(body as RequestOf<'SaslHandshake'>))
      return true
    }
    if (api.name !== 'SaslAuthenticate') throw new RangeError(`${api.name} before the login`)
    this.#write(header, version, login.authenticate(body as RequestOf<'SaslAuthenticate'>))
    if (login.state === 'refused') this.#socket.end()
    return true
  }

  /** A client that is newer than the broker asks for its versions in one that the broker does not know. */
  #answerVersions(header: RequestHeader): void {
    const { api, version } = header
    if (api.name !== 'ApiVersions') throw new RangeError(`${api.name} version ${version} is not supported`)
    const { key, versionMin, versionMax } = api
    const apiKeys = [{ apiKey: key, minVersion: versionMin, maxVersion: versionMax }]
    this.#write(header, 0, { errorCode: ErrorCode.UNSUPPORTED_VERSION, apiKeys })
  }

  #write({ api, correlationId }: RequestHeader, version: number, response: object): void {
    if (this.#socket.destroyed) return
    const body = this.#options.codec.write(api.response, version, response)
    const bytes = body.reduce((sum, { length }) => sum + length, 0)
    this.#socket.cork()
    this.#socket.write(responseHead(api, version, correlationId, bytes))
    for (const chunk of body) this.#socket.write(chunk)
    this.#socket.uncork()
  }

  #refuse(error: unknown): void {
    const { remoteAddress = 'a client', remotePort = 0 } = this.#socket
    const client = `${remoteAddress}:${remotePort}`
    this.#options.logger.warn('The broker closes a connection after a request that it cannot process.', {
      client,
      reason: toError(error).message,
    })
    this.close()
  }
}
