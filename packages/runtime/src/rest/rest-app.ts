import type { IncomingMessage } from 'node:http'
import { isSupported, routes, supportedRouteNames, unsupportedRouteNames } from '@tributary/rest-api'
import { assert, toError } from '@tributary/support'
import type { Clock, Logger } from '@tributary/support'
import { fastify } from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonBytes, removeDefaultType, sendError } from './answers.ts'
import { answerClientError, headerBytesMax } from './client-error.ts'
import { createHandlers, refuseUnsupported } from './handlers.ts'
import type { RestAnswer, RestRequest } from './handlers.ts'
import type { HerderGate } from './herder-gate.ts'
import { decodeSegment, routableUrl } from './http/request-target.ts'
import { allowedMethods, knownPaths } from './known-path.ts'
import { runOperation } from './operation.ts'
import { checkRequest } from './request-gate.ts'

export interface RestAppOptions {
  readonly gate: HerderGate
  readonly logger: Logger
  readonly clock: Clock
  /** Headers of every answer to a request that can be read. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** How long an operation may take before the client is told that it takes too long. */
  readonly requestTimeoutMs: number
}

/**
 * More than any registration needs: the JSON reader allows a string of 20 million characters, which can be 60 MB. Kafka
 * Connect itself has no limit.
 */
const bodyBytesMax = 64 * 1024 * 1024

/** A request that takes longer to arrive is given up. */
const receiveTimeoutMs = 300_000

/** How long an idle connection is kept, as in Kafka Connect. */
const keepAliveTimeoutMs = 30_000

/** A path parameter can be as long as the request line. */
const parameterLengthMax = headerBytesMax

/**
 * Every open connection can hold a body. Consoles, scripts and the other workers of a group need a few dozen.
 */
const connectionsMax = 1_000

/** The REST interface as a Fastify application that does not listen yet. */
export function createRestApp(options: RestAppOptions): FastifyInstance {
  const { logger, responseHeaders } = options
  const app = fastify({
    http: { maxHeaderSize: headerBytesMax },
    bodyLimit: bodyBytesMax,
    requestTimeout: receiveTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    routerOptions: { maxParamLength: parameterLengthMax },
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    rewriteUrl: (request: IncomingMessage) => routableUrl(request.url ?? ''),
    clientErrorHandler: (error, socket) => {
      // Not the error itself: it holds the bytes of the request.
      logger.debug('a request cannot be read', { code: error.code, reason: error.message })
      answerClientError(error, socket)
    },
  })
  app.server.maxConnections = connectionsMax
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(responseHeaders)
    return checkRequest(request, reply) ?? undefined
  })
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    removeDefaultType(reply)
    // Else a client that had to wait for this answer keeps the server from closing with a connection that is idle now.
    if (isClosing) reply.header('connection', 'close')
  })
  app.addHook('onRequestAbort', async ({ method, originalUrl }) =>
    logger.debug(`${method} ${pathOf(originalUrl)} was given up by the client`),
  )
  app.addHook('onResponse', async (request, reply) => logRequest(logger, { request, reply }))
  app.setErrorHandler((error, request, reply) => answerError(logger, toError(error), { request, reply }))
  addRoutes(app, options)
  return app
}

/** No route has a schema. Without this, Fastify loads its compilers of schemas, a tenth of the time that a start takes. */
function refuseSchema(): never {
  assert(false, 'no route has a schema')
}

function addRoutes(app: FastifyInstance, options: RestAppOptions): void {
  for (const path of knownPaths) {
    app.options(routerPath(path), async (_request, reply) => answerOptions(reply, allowedMethods(path)))
  }
  const { gate, logger, clock, requestTimeoutMs: timeoutMs } = options
  const handlers = createHandlers(gate)
  for (const name of [...supportedRouteNames, ...unsupportedRouteNames]) {
    const route = routes[name]
    const handle = isSupported(name) ? handlers[name] : refuseUnsupported(route)
    app.route({
      method: route.method,
      url: routerPath(route.path),
      handler: async (request, reply) => {
        const title = `${request.method} ${route.path}`
        const answer = await runOperation(handle, readRequest(request), { title, logger, clock, timeoutMs })
        return sendAnswer(request, reply, answer)
      },
    })
  }
}

/** A path in the router's spelling. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function readRequest(request: FastifyRequest): RestRequest {
  const { params, body, headers, url } = request
  const parameters: Record<string, string> = {}
  for (const [name, value] of Object.entries(params ?? {})) parameters[name] = decodeSegment(String(value))
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length))
  return { parameters, query, headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) }
}

function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: RestAnswer): FastifyReply {
  reply.code(answer.status)
  if (answer.location !== undefined) reply.header('location', baseUrl(request) + answer.location)
  if (answer.document === undefined) return reply.removeHeader('content-type').send()
  return reply.send(jsonBytes(answer.document))
}

/** The service as the client addressed it; a client of HTTP/1.0 may not say how. */
function baseUrl({ headers, socket }: FastifyRequest): string {
  return `http://${headers.host ?? `${socket.localAddress}:${socket.localPort}`}`
}

function answerOptions(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  reply.header('allow', methods.join(','))
  const isText = reply.getHeader('content-type') === 'text/plain'
  return reply.send(isText ? Buffer.from(methods.join(', ')) : Buffer.alloc(0))
}

/** Errors around an operation: a body that is too large or never arrives whole, or a bug. */
function answerError(logger: Logger, error: Error, { request, reply }: Exchange): FastifyReply {
  reply.header('content-type', 'application/json')
  if ('code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = `${bodyBytesMax / 1024 / 1024} MiB`
    return sendError(reply, 413, `The request body is larger than ${limit}, which is more than a registration can hold`)
  }
  // What a client has caused; mostly it has gone away and will not see the answer.
  if ('statusCode' in error && error.statusCode === 400) return sendError(reply, 400, error.message)
  logger.error(`${request.method} ${pathOf(request.originalUrl)} failed`, { error })
  return sendError(reply, 500, error.message)
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** A line for an answer. Never with a body: that holds passwords. */
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

/** A target without its query, for the log. */
function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? ''
}
