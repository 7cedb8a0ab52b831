import { describeError, visibleText } from '@tributary/support'
import { RequestError } from '../request-error.ts'
import type { RestAnswer } from '../rest-answer.ts'
import type { WorkerResponse } from './worker-client.ts'

const SHOWN_LENGTH_MAX = 200

/**
 * The answer of the worker that executed a request, for the client that sent it here. An error document becomes this
 * worker's own error. Any other body of an error, such as that of a proxy between the workers, is a forwarding error.
 */
export function forwardedAnswer({ status, headers, body }: WorkerResponse): RestAnswer {
  if (status === 204) return { status }
  if (status >= 200 && status < 300) {
    const location = pathOf(headers.location)
    const answer = { status, ...(location !== null && { location }) }
    if (body.length === 0) return answer
    requireJson(status, body)
    return { ...answer, content: { type: 'application/json', bytes: body } }
  }
  if (status < 400) throw new RequestError(500, `Unexpected status code when handling forwarded request: ${status}`)
  const retryAfterS = Number(headers['retry-after'] ?? Number.NaN)
  throw new RequestError(
    status,
    messageOf(status, body),
    undefined,
    Number.isSafeInteger(retryAfterS) ? retryAfterS : undefined,
  )
}

/** `Location` names the worker that the client sent its request to: only its path comes from the other worker. */
function pathOf(location: string | undefined): string | null {
  if (location === undefined || !URL.canParse(location)) return null
  return new URL(location).pathname
}

function messageOf(status: number, body: Buffer): string {
  const document = requireJson(status, body)
  if (typeof document === 'object' && document !== null && 'error_code' in document && 'message' in document) {
    const { message } = document
    if (typeof message === 'string' || message === null) return message ?? ''
  }
  throw notADocument(status, body, 'it is not an error document')
}

function requireJson(status: number, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw notADocument(status, body, describeError(error))
  }
}

function notADocument(status: number, body: Buffer, reason: string): Error {
  const shown = visibleText(body.toString('utf8', 0, SHOWN_LENGTH_MAX))
  return new Error(`it answered with status ${status} and a body that cannot be read (${reason}): ${shown}`)
}
