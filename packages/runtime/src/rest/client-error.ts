import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorDocument, hasRefusalBody, protocolMessage } from './error-answer.ts'
import { refuseTarget, routableUrl } from './http/request-target.ts'
import { jsonBytes } from './json/format-json.ts'
import { isKnownPath } from './known-path.ts'

/** The limit for the request line and the headers together, as in Kafka Connect. */
export const headerBytesMax: number = 8 * 1024

/** The error of Node's HTTP parser about a request that it cannot parse. */
export interface ClientError extends Error {
  readonly code?: string
  /** The bytes that the parser received last, not always the whole request. */
  readonly rawPacket?: unknown
}

interface RawAnswer {
  readonly status: number
  readonly contentType?: string
  readonly body: Buffer
}

/** Answers a request that the HTTP parser refused, so that the router never gets it, and closes its connection. */
export function answerClientError(error: ClientError, socket: Socket): void {
  // After a handshake that was not completed nothing can be sent, and the end of the connection would wait for it.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') {
    socket.destroy()
    return
  }
  const { status, contentType, body } = chooseAnswer(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `Content-Length: ${body.length}`,
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
}

function chooseAnswer(error: ClientError): RawAnswer {
  const requestStart = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : ''
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return requestStart.slice(0, headerBytesMax).includes('\n')
        ? refusal(431, 'The request line and the headers are larger than 8 KiB')
        : refusal(414, 'The request line is larger than 8 KiB')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'The request did not arrive in time')
    case 'HPE_INVALID_METHOD':
      return answerUnknownMethod(requestStart)
    default:
      return refusal(400, `The request is not HTTP/1.1: ${error.message}`)
  }
}

/**
 * Node's parser refuses a method that is not in its list. To the client, such a method is not allowed (405), not
 * malformed.
 */
function answerUnknownMethod(requestStart: string): RawAnswer {
  const match = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]\r?\n/.exec(requestStart)
  if (match === null) return refusal(400, 'The request line is malformed')
  const [, method = '', target = ''] = match
  const problem = refuseTarget({ method, target, host: undefined })
  if (problem !== null) return hasRefusalBody(method) ? refusal(400, problem) : { status: 400, body: Buffer.alloc(0) }
  const [path = ''] = routableUrl(target).split('?', 1)
  const status = isKnownPath(path) ? 405 : 404
  return { status, body: jsonBytes(errorDocument(status, protocolMessage(status))) }
}

function refusal(status: number, message: string): RawAnswer {
  return { status, contentType: 'application/json', body: jsonBytes(errorDocument(status, message)) }
}
