import type { FastifyReply, FastifyRequest } from 'fastify'
import { protocolMessage, sendError, sendRefusal } from './error-answer.ts'
import type { ProtocolStatus } from './error-answer.ts'
import { chooseJson, chooseOptions, parseAccept } from './http/accept.ts'
import { isCompatible, parseContentType } from './http/media-type.ts'
import type { MediaType } from './http/media-type.ts'
import { refuseTarget } from './http/request-target.ts'
import { isKnownPath } from './known-path.ts'

/**
 * Checks a request before its body is read. Answers a request that fails a check and returns the answer; otherwise sets
 * the Content-Type of the answer and returns null. The order is that of Kafka Connect: syntax of the request line and
 * the headers, path, method, Content-Type, Accept.
 */
export function checkRequest(request: FastifyRequest, reply: FastifyReply): FastifyReply | null {
  const { method, originalUrl: target, headers } = request
  const refusal = refuseTarget({ method, target, host: headers.host })
  if (refusal !== null) return sendRefusal(request, reply, refusal)
  const header = headers['content-type']
  const mediaType = header === undefined ? undefined : parseContentType(header)
  if (mediaType === null) return sendRefusal(request, reply, 'The Content-Type header is not a media type')
  if (target === '*') return reply.code(404).send()
  const [path = ''] = request.url.split('?', 1)
  if (request.is404) return sendProtocolError(reply, isKnownPath(path) ? 405 : 404)
  const isOptions = method === 'OPTIONS'
  if (!isOptions && mediaType !== undefined && !isContentTypeAllowed(path, mediaType))
    return sendProtocolError(reply, 415)
  const accepted = parseAccept(headers.accept)
  if (accepted === null) return reply.code(400).send()
  const answerType = isOptions ? chooseOptions(accepted) : chooseJson(accepted)
  if (answerType === null) return sendProtocolError(reply, 406)
  reply.header('content-type', answerType)
  return null
}

function sendProtocolError(reply: FastifyReply, status: ProtocolStatus): FastifyReply {
  return sendError(reply, status, protocolMessage(status))
}

/** Paths whose operations accept any Content-Type, since they have no body. */
const pathsOfAnyType: ReadonlySet<string> = new Set(['/', '/health'])

/** Every other operation requires that a Content-Type header, if present, is JSON's, even when it has no body. */
function isContentTypeAllowed(path: string, mediaType: MediaType): boolean {
  return pathsOfAnyType.has(path) || isCompatible(mediaType, 'application', 'json')
}
