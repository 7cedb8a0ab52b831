import type { FastifyReply, FastifyRequest } from 'fastify'
import { decodeSegment } from './http/request-target.ts'
import { jsonBytes } from './json/format-json.ts'
import type { RestAnswer, RestRequest } from './rest-answer.ts'

export function readRequest(request: FastifyRequest): RestRequest {
  const { params, body, headers, url, role } = request
  const parameters: Record<string, string> = {}
  for (const [name, value] of Object.entries(params ?? {})) parameters[name] = decodeSegment(String(value))
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length))
  return { parameters, query, headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), role }
}

/** Sends an answer. The scope has set the Content-Type of a JSON document. */
export function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: RestAnswer): FastifyReply {
  reply.code(answer.status)
  if (answer.retryAfterS !== undefined) reply.header('retry-after', answer.retryAfterS)
  if (answer.location !== undefined) reply.header('location', baseUrl(request) + answer.location)
  if (answer.content !== undefined) return reply.header('content-type', answer.content.type).send(answer.content.bytes)
  if (answer.document === undefined) return reply.removeHeader('content-type').send()
  return reply.send(jsonBytes(answer.document))
}

/**
 * The server's address as the client knows it, with the path prefix of the request. A client of HTTP/1.0 may omit the
 * Host header.
 */
function baseUrl({ headers, socket, raw, pathPrefix }: FastifyRequest): string {
  const scheme = 'encrypted' in raw.socket ? 'https' : 'http'
  return `${scheme}://${headers.host ?? `${socket.localAddress}:${socket.localPort}`}${pathPrefix}`
}
