import { isIPv6 } from 'node:net'
import type { AddressInfo } from 'node:net'
import { assert, describeError, systemClock } from '@tributary/support'
import type { Clock, CodedError, Logger } from '@tributary/support'
import type { FastifyInstance } from 'fastify'
import type { Logins } from './access/logins.ts'
import type { Forwarder } from './forward/forwarder.ts'
import type { HerderGate } from './herder-gate.ts'
import type { AllowedCallers } from './http/caller.ts'
import { restErrors } from './listen-errors.ts'
import type { ListenerTls } from './listener-tls.ts'
import type { OwnRoute } from './own-scope.ts'
import { createRestApp, type TlsServerFactory } from './rest-app.ts'
import { EventStreams } from './ui/event-streams.ts'
import type { PageOptions } from './ui/page-options.ts'

export interface RestServerOptions {
  /** An address or a name of this machine; `0.0.0.0` or `::` for all addresses. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly gate: HerderGate
  /** Operations that Kafka Connect does not have; none by default. */
  readonly ownRoutes?: readonly OwnRoute[]
  readonly logger: Logger
  /** Headers of every answer to a well-formed HTTP request; none by default. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** None by default. */
  readonly allowedCallers?: AllowedCallers
  /** Null, the default: no login is needed. */
  readonly logins?: Logins | null
  /** A path, as `/cdc`, that requests may have before their own; none by default. */
  readonly pathPrefix?: string
  /** Null, the default: no page. */
  readonly page?: PageOptions | null
  /** Those of the page, if other listeners share them. */
  readonly streams?: EventStreams
  /** Null, the default: HTTP without TLS. */
  readonly tls?: ListenerTls | null
  /** For tests. */
  readonly clock?: Clock
  /** After this time, the answer to an operation is an error; 90 s by default, as in Kafka Connect. */
  readonly requestTimeoutMs?: number
  /** Null, the default: the worker never forwards requests. */
  readonly forwarder?: Forwarder | null
}

const requestTimeoutMsDefault = 90_000

/**
 * Closing the server waits this long for requests in progress, then closes their connections: the worker's stop has a
 * limit, and after this step the tasks still commit their offsets.
 */
const closeTimeoutMs = 5_000

/**
 * Starts the REST interface.
 *
 * @throws an error of `restErrors` when it cannot listen on the address
 */
export async function startRestServer(options: RestServerOptions): Promise<RestServer> {
  const { host, port, logger, clock = systemClock } = options
  let app: FastifyInstance
  try {
    app = await listenWithFallback(options)
  } catch (error) {
    throw listenError(error, host, port)
  }
  const server = new RestServer(app, clock, (options.tls ?? null) === null ? 'http' : 'https')
  logger.info(`The REST interface listens at ${server.url}`, { host, port: server.port })
  return server
}

/** On a machine without IPv6, `::` falls back to all addresses of IPv4. */
async function listenWithFallback(options: RestServerOptions): Promise<FastifyInstance> {
  try {
    return await listen(options, options.host)
  } catch (error) {
    if (options.host !== '::' || !ipv6MissingCodes.has(codeOf(error))) throw error
    return listen(options, '0.0.0.0')
  }
}

const ipv6MissingCodes: ReadonlySet<unknown> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])

async function listen(options: RestServerOptions, host: string): Promise<FastifyInstance> {
  const { port, gate, logger, clock = systemClock, ownRoutes = [], responseHeaders = {}, tls = null } = options
  const app = createRestApp({
    gate,
    ownRoutes,
    logger,
    clock,
    responseHeaders,
    allowedCallers: options.allowedCallers ?? { hosts: [], origins: [] },
    logins: options.logins ?? null,
    pathPrefix: options.pathPrefix ?? '',
    page: options.page ?? null,
    streams: options.streams ?? new EventStreams(clock),
    createTls: tls === null ? null : await tlsFactory(tls),
    requestTimeoutMs: options.requestTimeoutMs ?? requestTimeoutMsDefault,
    forwarder: options.forwarder ?? null,
  })
  try {
    await app.listen({ host, port })
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}

async function tlsFactory(tls: ListenerTls): Promise<TlsServerFactory> {
  const { createTlsServer } = await import('./tls-listener.ts')
  return (limits, handle) => createTlsServer(limits, tls, handle)
}

/** The REST interface while it listens. Closing it waits for requests in progress, at most 5 s. */
export class RestServer implements AsyncDisposable {
  /** A URL at which this machine reaches the server, without a slash at the end. */
  readonly url: string
  readonly port: number
  readonly #app: FastifyInstance
  readonly #clock: Clock
  #closed: Promise<void> | null = null

  constructor(app: FastifyInstance, clock: Clock, scheme: 'http' | 'https') {
    const address = app.server.address()
    assert(
      typeof address === 'object' && address !== null,
      'the REST interface has no address after it started to listen',
    )
    this.port = address.port
    this.url = `${scheme}://${reachableHost(address)}:${address.port}`
    this.#app = app
    this.#clock = clock
  }

  /** May be called more than once. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const deadline = this.#clock.after(closeTimeoutMs, () => this.#app.server.closeAllConnections())
    try {
      await this.#app.close()
    } finally {
      deadline.cancel()
    }
  }
}

function reachableHost({ address }: AddressInfo): string {
  // `::` accepts IPv4, too, and the loopback interface may have no IPv6 address.
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return isIPv6(address) ? `[${address}]` : address
}

function listenError(error: unknown, host: string, port: number): CodedError {
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return restErrors.REST_ADDRESS_IN_USE({ address }, error)
    case 'EADDRNOTAVAIL':
      return restErrors.REST_ADDRESS_NOT_AVAILABLE({ address, host }, error)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return restErrors.REST_HOST_UNKNOWN({ address, host }, error)
    case 'EACCES':
      return restErrors.REST_PORT_FORBIDDEN({ address, port }, error)
    default:
      return restErrors.REST_LISTEN_FAILED({ address, reason: describeError(error) }, error)
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
