import { kafkaErrors } from '../api/errors.ts'
import { ErrorCode, errorName, isAuthorizationFailure, isTransient } from '../protocol/broker-error.ts'

export interface ResponsePart {
  /** The name of the request in the protocol. */
  readonly request: string
  /** The object of the request, as in "topic orders". */
  readonly subject: string
  readonly errorCode: number
  /** The broker's message, if it sent one with the code. */
  readonly reason?: string | null | undefined
}

/** Throws NOT_AUTHORIZED, REQUEST_NOT_READY (retriable) or REQUEST_REFUSED for an error code in a response. */
export function checkResponse(part: ResponsePart): void {
  const { request, subject, errorCode } = part
  if (errorCode === ErrorCode.NONE) return
  const error = errorName(errorCode)
  if (isAuthorizationFailure(errorCode)) throw kafkaErrors.NOT_AUTHORIZED({ request, subject, error })
  const reason = part.reason ?? 'the broker gives no reason'
  const maker =
    isTransient(errorCode) || lacksBrokersTemporarily(part)
      ? kafkaErrors.REQUEST_NOT_READY
      : kafkaErrors.REQUEST_REFUSED
  throw maker({ request, subject, error, reason })
}

/**
 * A broker that has just started, or was too busy to send its heartbeat, is fenced for a while. KRaft then does not
 * count it and refuses a topic with the code for too many replicas; only the message differs (Kafka 3.3 to 4.3).
 */
function lacksBrokersTemporarily({ errorCode, reason }: ResponsePart): boolean {
  return errorCode === ErrorCode.INVALID_REPLICATION_FACTOR && /\bfenced\b/.test(reason ?? '')
}
