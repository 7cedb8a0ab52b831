import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { assert, toError } from '@tributary/support'
import type { Clock, Logger } from '@tributary/support'
import { fastify } from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessCheck } from './access/access-check.ts'
import type { Logins } from './access/logins.ts'
import { sendError } from './error-answer.ts'
import { answerClientError, headerBytesMax } from './client-error.ts'
import { addConnectScope } from './connect-scope.ts'
import { limitConnections } from './connection-limit.ts'
import type { Forwarder } from './forward/forwarder.ts'
import type { HerderGate } from './herder-gate.ts'
import { type AllowedCallers, refuseCaller } from './http/caller.ts'
import { hasPrefix, withoutPrefix } from './http/path-prefix.ts'
import { routableUrl } from './http/request-target.ts'
import { bodyBytesMax, LargeBodies } from './large-bodies.ts'
import { addOwnScope } from './own-scope.ts'
import type { OwnRoute } from './own-scope.ts'
import { PipelinedRequests } from './pipelined-requests.ts'
import type { EventStreams } from './ui/event-streams.ts'
import type { PageOptions } from './ui/page-options.ts'
import { addPageScope, isPageFile } from './ui/page-scope.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** `rest.path.prefix` if the request has it, otherwise empty. */
    pathPrefix: string
  }
}

export interface RestAppOptions {
  readonly gate: HerderGate
  readonly ownRoutes: readonly OwnRoute[]
  readonly logger: Logger
  readonly clock: Clock
  /** Headers of every answer to a well-formed HTTP request. */
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly allowedCallers: AllowedCallers
  /** Null: no login is needed. */
  readonly logins: Logins | null
  /** A path before the paths of requests, as `/cdc`; empty: none. */
  readonly pathPrefix: string
  /** Null: no page. */
  readonly page: PageOptions | null
  /** Those of the page. */
  readonly streams: EventStreams
  /** How a server for HTTPS is created; null for HTTP. */
  readonly createTls: TlsServerFactory | null
  /** After this time, the answer to an operation is an error. */
  readonly requestTimeoutMs: number
  /** Null: the worker is alone. */
  readonly forwarder: Forwarder | null
}

/** Creates a server with the limits that it is given. */
export type TlsServerFactory = (limits: ServerOptions, handle: RequestListener) => Server

/** The server answers a request that takes longer to arrive with an error. */
const receiveTimeoutMs = 60_000
const headersTimeoutMs = 15_000

/** An idle connection is closed after this time, as in Kafka Connect. */
const keepAliveTimeoutMs = 30_000

/** A path parameter can be as long as the request line. */
const parameterLengthMax = headerBytesMax

/**
 * Each open connection can occupy memory for a body. Consoles, scripts and the other workers of a group need dozens.
 */
const connectionsMax = 1_000

/**
 * The REST interface as a Fastify application that does not listen yet. What applies to every request is here: limits,
 * response headers, the log, and errors outside of operations. The rest belongs to one of two scopes, Kafka Connect's
 * and our own.
 */
export function createRestApp(options: RestAppOptions): FastifyInstance {
  const { gate, ownRoutes, logger, clock, responseHeaders, pathPrefix, requestTimeoutMs: timeoutMs } = options
  const app = fastify({
    serverFactory: (handle) => createHttpServer(handle, options.createTls),
    bodyLimit: bodyBytesMax,
    routerOptions: { maxParamLength: parameterLengthMax },
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    rewriteUrl: (request: IncomingMessage) => withoutPrefix(routableUrl(request.url ?? ''), pathPrefix),
    clientErrorHandler: (error, socket) => {
      // Not the error object: it contains the bytes of the request.
      logger.debug('A request is not readable as HTTP', { code: error.code, reason: error.message })
      answerClientError(error, socket)
    },
  })
  limitConnections(app.server, connectionsMax)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const largeBodies = new LargeBodies()
  const openPaths = new Set(ownRoutes.flatMap(({ path, isPublic = false }) => (isPublic ? [path] : [])))
  const access = new AccessCheck({
    ...options,
    isPublic: (path) => openPaths.has(path) || (options.page !== null && isPageFile(path)),
  })
  app.decorateRequest('role', 'full')
  app.decorateRequest('pathPrefix', '')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(responseHeaders)
    const { host, origin } = request.headers
    const { localAddress } = request.socket
    const refusal = refuseCaller({ host, origin, localAddress }, options.allowedCallers)
    if (refusal !== null) return sendError(reply.header('content-type', 'application/json'), 403, refusal)
    request.pathPrefix = hasPrefix(routableUrl(request.originalUrl), pathPrefix) ? pathPrefix : ''
    const denial = access.check(request, reply)
    if (denial !== null) return denial
    if (!largeBodies.admits(request.raw, reply.raw)) {
      const busy = 'Too many requests with large bodies arrive at the same time. Repeat the request later'
      return sendError(reply.headers({ 'content-type': 'application/json', connection: 'close' }), 503, busy)
    }
    return undefined
  })
  closeConnectionsOnClose(app)
  app.addHook('onRequestAbort', async ({ method, originalUrl }) =>
    logger.debug(`The client aborted ${method} ${pathOf(originalUrl)}`),
  )
  app.addHook('onResponse', async (request, reply) => logRequest(logger, { request, reply }))
  app.setErrorHandler((error, request, reply) => answerError(logger, toError(error), { request, reply }))
  const limits = { logger, clock, timeoutMs }
  app.register(async (scope) => addConnectScope(scope, gate, { ...limits, forwarder: options.forwarder }))
  app.register(async (scope) => addOwnScope(scope, ownRoutes, limits))
  const { page } = options
  if (page !== null) app.register(async (scope) => addPageScope(scope, page, { streams: options.streams, logger }))
  return app
}

/** A server that passes on what its limits admit. */
function createHttpServer(handle: RequestListener, createTls: TlsServerFactory | null): Server {
  const pipelined = new PipelinedRequests()
  const admit: RequestListener = (request, response) => {
    if (pipelined.admits(request, response)) handle(request, response)
  }
  return createTls === null ? createServer(SERVER_LIMITS, admit) : createTls(SERVER_LIMITS, admit)
}

const SERVER_LIMITS: ServerOptions = {
  maxHeaderSize: headerBytesMax,
  headersTimeout: headersTimeoutMs,
  requestTimeout: receiveTimeoutMs,
  keepAliveTimeout: keepAliveTimeoutMs,
  connectionsCheckingInterval: 5_000,
}

/**
 * No route has a schema. Without this, Fastify loads its schema compilers, which takes a tenth of the worker's start.
 */
function refuseSchema(): never {
  assert(false, 'no route has a schema')
}

/** Closes each connection after its current request once the server closes: an idle one would keep it from closing. */
function closeConnectionsOnClose(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}

/** Errors outside of operations: a body that is too large or incomplete, or a bug. */
function answerError(logger: Logger, error: Error, { request, reply }: Exchange): FastifyReply {
  reply.header('content-type', 'application/json')
  if ('code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = `${bodyBytesMax / 1024 / 1024} MiB`
    // Otherwise the server would read the rest of the body.
    reply.header('connection', 'close')
    return sendError(reply, 413, `The request body is larger than ${limit}, which is more than a registration can hold`)
  }
  // An error of the client, which has usually closed the connection.
  if ('statusCode' in error && error.statusCode === 400) return sendError(reply, 400, error.message)
  logger.error(`${request.method} ${pathOf(request.originalUrl)} failed`, { error })
  return sendError(reply, 500, error.message)
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Logs an answer, without bodies: they contain passwords. */
function logRequest(logger: Logger, { request, reply }: Exchange): void {
  const { method } = request
  const path = pathOf(request.originalUrl)
  logger.debug(`${method} ${path} ${reply.statusCode}`, {
    method,
    path,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
  })
}

/** The target without its query, which may contain secrets. */
function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? ''
}
