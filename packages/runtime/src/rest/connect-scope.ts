import { internalRouteNames, routes, supportedRouteNames } from '@tributary/rest-api'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Forwarder } from './forward/forwarder.ts'
import { createHandlers } from './handlers.ts'
import type { HerderGate } from './herder-gate.ts'
import { allowedMethods, knownPaths } from './known-path.ts'
import { runOperation } from './operation.ts'
import type { OperationLimits } from './operation.ts'
import { checkRequest } from './request-gate.ts'
import { readRequest, sendAnswer } from './send-answer.ts'

export interface ScopeOptions extends OperationLimits {
  /** Null: the worker is alone. */
  readonly forwarder: Forwarder | null
}

/**
 * The interface of Kafka Connect: its paths, the order of its checks, and its negotiation of media types. It answers
 * paths that no scope has with status 404.
 */
export function addConnectScope(
  scope: FastifyInstance,
  gate: HerderGate,
  { forwarder, ...limits }: ScopeOptions,
): void {
  scope.addHook('onRequest', async (request, reply) => checkRequest(request, reply) ?? undefined)
  scope.addHook('onSend', async (_request, reply) => removeDefaultType(reply))
  // Never runs: `checkRequest` answers unknown paths. With a handler, Fastify runs the hooks of this scope for them.
  scope.setNotFoundHandler(async (_request, reply) => reply)
  for (const path of knownPaths) {
    scope.options(routerPath(path), async (_request, reply) => answerOptions(reply, allowedMethods(path)))
  }
  const handlers = createHandlers(gate)
  for (const name of [...supportedRouteNames, ...internalRouteNames]) {
    const route = routes[name]
    const isForwarded = route.method !== 'GET' || ownReads.has(name)
    const handle = isForwarded && forwarder !== null ? forwarder.wrap(route, handlers[name]) : handlers[name]
    scope.route({
      method: route.method,
      url: routerPath(route.path),
      handler: async (request, reply) => {
        const title = `${request.method} ${route.path}`
        return sendAnswer(request, reply, await runOperation(handle, readRequest(request), { title, ...limits }))
      },
    })
  }
}

/** What only one worker knows. Everything else each worker answers from its copy of the topics. */
const ownReads: ReadonlySet<string> = new Set(['listVerifications', 'getVerification'])

/**
 * Removes the Content-Type that Fastify sets for bytes when the answer has none. In Kafka Connect, an error that is
 * found before an operation is chosen has no Content-Type.
 */
function removeDefaultType(reply: FastifyReply): void {
  if (reply.getHeader('content-type') === 'application/octet-stream') reply.removeHeader('content-type')
}

/** A path with parameters in the router's syntax: `:name` for `{name}`. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function answerOptions(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  reply.header('allow', methods.join(','))
  const isText = reply.getHeader('content-type') === 'text/plain'
  return reply.send(isText ? Buffer.from(methods.join(', ')) : Buffer.alloc(0))
}
