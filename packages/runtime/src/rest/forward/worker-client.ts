import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { TlsOptions } from '@tributary/kafka'
import { StoppedError, toError, type Clock } from '@tributary/support'

export interface WorkerRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty: the request has no body. */
  readonly body: Buffer
}

export interface WorkerResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** The connection could not be opened: the other worker has not received the request, so it can be repeated. */
export class NotSentError extends Error {
  override readonly name: string = 'NotSentError'
}

export interface WorkerClientOptions {
  /** The authorities for workers with https, and this worker's certificate; read at the first such request. */
  readonly tls: () => TlsOptions
  readonly clock: Clock
  /** The time limit of a whole request. */
  readonly timeoutMs: number
}

/** Most answers have some kilobytes, those with a list of many tasks some hundred kilobytes. */
const BODY_BYTES_MAX = 8 * 2 ** 20
const CONNECT_TIMEOUT_MS = 5_000

/** Sends requests to the REST interfaces of other workers: bounded in time and bytes, without redirects. */
export class WorkerClient {
  readonly #options: WorkerClientOptions
  #tls: TlsOptions | null = null

  constructor(options: WorkerClientOptions) {
    this.#options = options
  }

  /** @throws NotSentError, errors of the network, StoppedError */
  async send(request: WorkerRequest, signal?: AbortSignal): Promise<WorkerResponse> {
    const isTls = request.url.protocol === 'https:'
    const options = isTls ? this.#tlsOptions() : {}
    const { body, method } = request
    const headers = { ...request.headers, 'content-length': String(body.length), connection: 'close' }
    const send = isTls ? (await import('node:https')).request : httpRequest
    return this.#exchange(send(request.url, { ...options, method, headers, agent: false }), { isTls, body, signal })
  }

  #tlsOptions(): RequestOptions {
    const { tls } = this.#options
    this.#tls ??= tls()
    const { checkHostName, ...options } = this.#tls
    return checkHostName
      ? options
      : {
          ...options,
          checkServerIdentity: () => undefined,
        }
  }

  #exchange(
    request: ClientRequest,
    { isTls, body, signal }: { isTls: boolean; body: Buffer; signal: AbortSignal | undefined },
  ): Promise<WorkerResponse> {
    const { clock, timeoutMs } = this.#options
    return new Promise((resolve, reject) => {
      let isConnected = false
      const connecting = clock.after(CONNECT_TIMEOUT_MS, () =>
        request.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
      )
      const whole = clock.after(timeoutMs, () =>
        request.destroy(new Error(`no complete answer within ${timeoutMs / 1000} s`)),
      )
      const onAbort = (): void => void request.destroy(new StoppedError())
      const settle = (): void => {
        connecting.cancel()
        whole.cancel()
        signal?.removeEventListener('abort', onAbort)
      }
      const fail = (thrown: unknown): void => {
        settle()
        const error = toError(thrown)
        const isStopped = error instanceof StoppedError
        reject(isConnected || isStopped ? error : new NotSentError(error.message, { cause: error }))
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted === true) onAbort()
      request.once('socket', (socket: Socket) =>
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          isConnected = true
          connecting.cancel()
        }),
      )
      request.once('error', fail)
      request.once('response', (response) => {
        readBody(response).then(
          (bytes) => {
            settle()
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes })
          },
          (error: unknown) => {
            request.destroy()
            fail(error)
          },
        )
      })
      request.end(body)
    })
  }
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response) {
    const bytes = part as Buffer
    length += bytes.length
    if (length > BODY_BYTES_MAX) throw new Error(`its answer is larger than ${BODY_BYTES_MAX / 2 ** 20} MiB`)
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}
