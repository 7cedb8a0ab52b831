import type { FastifyInstance } from 'fastify'
import { protocolMessage, sendError } from './error-answer.ts'
import { refuseTarget } from './http/request-target.ts'
import { runOperation } from './operation.ts'
import type { OperationLimits } from './operation.ts'
import type { Handler } from './rest-answer.ts'
import { readRequest, sendAnswer } from './send-answer.ts'

/** An operation that Kafka Connect does not have, such as metrics or the files of a user interface. */
export interface OwnRoute {
  /** A path that Kafka Connect does not have, in the router's spelling: `/metrics`, `/ui/:file`. */
  readonly path: string
  /** Whether it needs no login. Its path has no parameters then. Default: false. */
  readonly isPublic?: boolean
  /** Answers GET and HEAD. */
  readonly handle: Handler
}

/** Methods that no route of this scope has. */
const otherMethods = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/**
 * Our own operations. The rules of Kafka Connect do not apply to them: Accept and Content-Type of the request have no
 * influence, and an answer has the Content-Type that its handler sets. Errors are documents as in Kafka Connect.
 */
export function addOwnScope(scope: FastifyInstance, ownRoutes: readonly OwnRoute[], limits: OperationLimits): void {
  scope.addHook('onRequest', async ({ method, originalUrl, headers }, reply) => {
    reply.header('content-type', 'application/json')
    const refusal = refuseTarget({ method, target: originalUrl, host: headers.host })
    return refusal === null ? undefined : sendError(reply, 400, refusal)
  })
  for (const { path, handle } of ownRoutes) {
    scope.get(path, async (request, reply) => {
      const title = `${request.method} ${path}`
      return sendAnswer(request, reply, await runOperation(handle, readRequest(request), { title, ...limits }))
    })
    scope.route({
      method: otherMethods,
      url: path,
      handler: async (_request, reply) => sendError(reply.header('allow', 'GET,HEAD'), 405, protocolMessage(405)),
    })
  }
}
