import { TLSSocket } from 'node:tls'
import { Reader, protocolAPIsById, ResponseError, type Writer } from '@platformatic/kafka'
import { CodedError, toError, type Clock, type Timer } from '@tributary/support'
import type { BrokerSocket } from '../api/broker-socket.ts'
import { kafkaErrors } from '../api/errors.ts'
import type { CodecTransport, ResponseCallback, ResponseParser } from './codec.ts'
import { FrameReader } from './frame-reader.ts'
import { RequestWriter, type SystemBuffer } from './request-writer.ts'
import { responseBytesMax } from './response-limits.ts'

/**
 * A request of a flexible version (with tagged fields) whose body consists of several buffers, written without a copy.
 */
export interface FramedRequest<Response> {
  readonly apiKey: number
  readonly apiVersion: number
  readonly body: readonly Buffer[]
  readonly parse: (reader: Reader) => Response
  /**
   * Asked immediately before the broker can get the whole request. False: it never does, and the connection is dropped.
   * Default: yes.
   */
  readonly maySend?: () => boolean
}

export interface BrokerConnectionOptions {
  /** `host:port`, for errors. */
  readonly broker: string
  readonly clientId: string
  readonly requestTimeoutMs: number
  readonly clock: Clock
  /** Shared by the connections of a client. */
  readonly systemBuffer: SystemBuffer
}

interface PendingRequest {
  readonly apiKey: number
  /** Of the whole frame. */
  readonly bytes: number
  readonly settle: (error: Error | null, reader: Reader | null) => void
  readonly timer: Timer
}

/**
 * An open connection to one broker. It frames requests, matches responses to them, and ends when the connection is lost
 * or a response is overdue. It does not reconnect: its owner opens another connection.
 *
 * When it ends, all requests in flight fail with the same error, in the order in which they were sent. The broker may
 * or may not have processed them.
 */
export class BrokerConnection implements CodecTransport, AsyncDisposable {
  readonly #options: BrokerConnectionOptions
  readonly #socket: BrokerSocket
  readonly #writer: RequestWriter
  readonly #clientId: Buffer
  readonly #frames = new FrameReader((correlationId) => responseBytesMax(this.#pendingOf(correlationId).apiKey))
  readonly #pending = new Map<number, PendingRequest>()
  readonly #ended = Promise.withResolvers<Error>()
  #correlationId = 0
  #failure: Error | null = null
  /**
   * Time (milliseconds since 1970) from which the connection is replaced because its login expires; Infinity without
   * one.
   */
  renewAtMs: number = Infinity

  /** Takes ownership of a connected socket. */
  constructor(socket: BrokerSocket, options: BrokerConnectionOptions) {
    this.#options = options
    this.#socket = socket
    this.#writer = new RequestWriter({
      socket,
      systemBuffer: options.systemBuffer,
      clock: options.clock,
      isOpaque: socket instanceof TLSSocket,
      onForbidden: () => this.#dropSoon(kafkaErrors.WRITES_SUSPENDED({ broker: this.broker })),
      onEndNotTaken: () => this.#dropSoon(kafkaErrors.CONNECTION_LOST({ broker: this.broker, reason: END_NOT_TAKEN })),
    })
    this.#clientId = Buffer.from(options.clientId)
    let socketError: Error | null = null
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => (socketError = error))
    const onClosed = (): void => {
      const reason = socketError?.message ?? 'the broker closed it'
      this.end(kafkaErrors.CONNECTION_LOST({ broker: options.broker, reason }, socketError ?? undefined))
      this.#ended.resolve(this.#failure ?? new Error('closed'))
    }
    socket.on('close', onClosed)
    // It may have ended before anybody listened.
    if (socket.destroyed) onClosed()
  }

  get broker(): string {
    return this.#options.broker
  }

  get isOpen(): boolean {
    return this.#failure === null
  }

  /** No request is in flight. */
  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  /**
   * The login expires soon, and then the broker closes the connection (KIP-368): wait for the requests in flight and
   * reconnect.
   */
  get isExpiring(): boolean {
    return this.#options.clock.now() >= this.renewAtMs
  }

  /** Resolves with the reason when the connection has ended and its socket is closed. */
  get ended(): Promise<Error> {
    return this.#ended.promise
  }

  // oxlint-disable-next-line max-params -- the signature that the library's codecs call
  send<Response>(
    apiKey: number,
    apiVersion: number,
    createPayload: () => Writer,
    parse: ResponseParser<Response>,
    hasRequestTags: boolean,
    hasResponseTags: boolean,
    callback: ResponseCallback<Response>,
  ): void {
    const head = { apiKey, apiVersion, hasRequestTags, hasResponseTags }
    const parseBody = (reader: Reader): Response => parse(0, apiKey, apiVersion, reader)
    this.#submit(head, [createPayload().buffer], parseBody, callback)
  }

  /**
   * Sends a request of several buffers, which must not change until the callback. The callback is called exactly once,
   * never before this returns.
   */
  sendFramed<Response>(request: FramedRequest<Response>, callback: ResponseCallback<Response>): void {
    const { apiKey, apiVersion, body, parse, maySend } = request
    this.#submit({ apiKey, apiVersion, hasRequestTags: true, hasResponseTags: true, maySend }, body, parse, callback)
  }

  /**
   * Ends the connection and fails the requests in flight with this reason, in their order. No effect after the first
   * call.
   */
  end(reason: Error): void {
    if (this.#failure !== null) return
    this.#failure = reason
    this.#writer.end()
    this.#socket.destroy()
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const request of pending) {
      request.timer.cancel()
      request.settle(reason, null)
    }
  }

  /**
   * Ends the connection like `end`, and also drops the bytes of requests that the system still holds for sending: the
   * broker must not receive them later. Not possible under TLS.
   */
  drop(reason: Error): void {
    if (this.isOpen && !(this.#socket instanceof TLSSocket)) this.#socket.resetAndDestroy()
    this.end(reason)
  }

  /** Ends the connection and waits until its socket is closed. */
  async close(): Promise<void> {
    this.end(kafkaErrors.CONNECTION_LOST({ broker: this.#options.broker, reason: 'closed by this client' }))
    await this.#ended.promise
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #submit<Response>(
    head: RequestHead,
    body: readonly Buffer[],
    parse: (reader: Reader) => Response,
    callback: ResponseCallback<Response>,
  ): void {
    if (this.#failure !== null) {
      const failure = this.#failure
      queueMicrotask(() => callback(failure))
      return
    }
    const correlationId = (this.#correlationId = (this.#correlationId + 1) & 0x7fffffff)
    const settle = (error: Error | null, reader: Reader | null): void => {
      if (reader === null) return callback(error)
      let response: Response
      try {
        if (head.hasResponseTags) reader.readTaggedFields()
        response = parse(reader)
      } catch (thrown) {
        return callback(this.#parseError(head.apiKey, thrown))
      }
      callback(null, response)
    }
    const timer = this.#startTimer(head.apiKey)
    const chunks = [this.#header(head, correlationId, body), ...body]
    const bytes = bytesOf(chunks)
    this.#pending.set(correlationId, { apiKey: head.apiKey, bytes, settle, timer })
    this.#writer.write({ chunks, bytes, maySend: head.maySend })
  }

  /** The callback of a request is called after `send` has returned, and the system gets no turn in between. */
  #dropSoon(reason: Error): void {
    queueMicrotask(() => this.drop(reason))
  }

  /*
   * Request frame: size INT32, request_api_key INT16, request_api_version INT16, correlation_id INT32,
   * client_id NULLABLE_STRING, TAG_BUFFER (header version 2 only), body
   */
  #header(head: RequestHead, correlationId: number, body: readonly Buffer[]): Buffer {
    const bytes = Buffer.allocUnsafe(14 + this.#clientId.length + (head.hasRequestTags ? 1 : 0))
    bytes.writeInt32BE(bytes.length - 4 + bytesOf(body), 0)
    bytes.writeInt16BE(head.apiKey, 4)
    bytes.writeInt16BE(head.apiVersion, 6)
    bytes.writeInt32BE(correlationId, 8)
    bytes.writeInt16BE(this.#clientId.length, 12)
    this.#clientId.copy(bytes, 14)
    if (head.hasRequestTags) bytes[bytes.length - 1] = 0
    return bytes
  }

  #startTimer(apiKey: number): Timer {
    const { broker, requestTimeoutMs, clock } = this.#options
    return clock.after(requestTimeoutMs, () => {
      const request = requestName(apiKey)
      this.end(kafkaErrors.REQUEST_TIMED_OUT({ broker, request, timeoutMs: requestTimeoutMs }))
    })
  }

  #receive(chunk: Buffer): void {
    if (this.#failure !== null) return
    let frames: readonly Buffer[]
    try {
      frames = this.#frames.push(chunk)
    } catch (thrown) {
      this.end(kafkaErrors.NOT_A_BROKER({ broker: this.broker, reason: toError(thrown).message }, thrown))
      return
    }
    for (const frame of frames) this.#respond(frame)
  }

  #respond(frame: Buffer): void {
    const correlationId = frame.readInt32BE(0)
    const pending = this.#pending.get(correlationId)
    // Two responses to one request, in one chunk.
    if (pending === undefined) {
      this.end(kafkaErrors.NOT_A_BROKER({ broker: this.broker, reason: responseToNone(correlationId) }))
      return
    }
    this.#pending.delete(correlationId)
    this.#writer.onAnswer(pending.bytes)
    pending.timer.cancel()
    const reader = Reader.from(frame)
    reader.skip(4)
    pending.settle(null, reader)
  }

  /** @throws RangeError when no such request is in flight */
  #pendingOf(correlationId: number): PendingRequest {
    const pending = this.#pending.get(correlationId)
    if (pending === undefined) throw new RangeError(responseToNone(correlationId))
    return pending
  }

  /** The library throws a ResponseError for a response with an error code; any other error is one of its bytes. */
  #parseError(apiKey: number, thrown: unknown): Error {
    const error = toError(thrown)
    if (error instanceof ResponseError || error instanceof CodedError) return error
    const reason = `its response to a ${requestName(apiKey)} request cannot be read (${error.message})`
    return kafkaErrors.NOT_A_BROKER({ broker: this.broker, reason }, error)
  }
}

const END_NOT_TAKEN =
  'this client closed it, since the send buffer of its system was full and the end of a request may not wait there'

function bytesOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0)
}

function responseToNone(correlationId: number): string {
  return `it sent a response to no request (correlation id ${correlationId})`
}

function requestName(apiKey: number): string {
  return protocolAPIsById[apiKey] ?? String(apiKey)
}

interface RequestHead {
  readonly apiKey: number
  readonly apiVersion: number
  /** Request header version 2. */
  readonly hasRequestTags: boolean
  /** Response header version 1. */
  readonly hasResponseTags: boolean
  readonly maySend?: (() => boolean) | undefined
}
