import type { ErrorDocument } from '@tributary/rest-api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { jsonBytes } from './json/format-json.ts'

const json = 'application/json'

/** JAX-RS's messages for errors of the protocol, which no operation has caused. */
const protocolMessages = {
  404: 'HTTP 404 Not Found',
  405: 'HTTP 405 Method Not Allowed',
  406: 'HTTP 406 Not Acceptable',
  415: 'HTTP 415 Unsupported Media Type',
} as const

export type ProtocolStatus = keyof typeof protocolMessages

export function protocolMessage(status: ProtocolStatus): string {
  return protocolMessages[status]
}

export function errorDocument(status: number, message: string): ErrorDocument {
  return { error_code: status, message }
}

export function sendError(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send(jsonBytes(errorDocument(status, message)))
}

/** Answers a malformed request with status 400. As in Kafka Connect, the answer to some methods has no body. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, message: string): FastifyReply {
  reply.code(400)
  if (!hasRefusalBody(request.method)) return reply.send()
  return sendError(reply.header('content-type', json), 400, message)
}

export function hasRefusalBody(method: string): boolean {
  return method === 'GET' || method === 'POST' || method === 'HEAD'
}
