import type { FastifyReply, FastifyRequest } from 'fastify'
import { protocolMessage, sendError, sendRefusal } from './answers.ts'
import type { ProtocolStatus } from './answers.ts'
import { chooseJson, chooseOptions, parseAccept } from './http/accept.ts'
import { isCompatible, parseContentType } from './http/media-type.ts'
import type { MediaType } from './http/media-type.ts'
import { refuseTarget } from './http/request-target.ts'
import { isKnownPath } from './known-path.ts'

/**
 * Checks a request before its body is read and gives the answer to one that fails; else sets the Content-Type of the
 * answer. The order is that of Kafka Connect: request line and headers as such, path, method, Content-Type, Accept.
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
  if (!isOptions && mediaType !== undefined && !isConsumed(path, mediaType)) return sendProtocolError(reply, 415)
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

/** These two take no body and do not mind what type it says to be. */
const indifferentPaths: ReadonlySet<string> = new Set(['/', '/health'])

/** All other operations want JSON, if anything: even those without a body, if the header is there. */
function isConsumed(path: string, mediaType: MediaType): boolean {
  return indifferentPaths.has(path) || isCompatible(mediaType, 'application', 'json')
}
