import { kafkaErrors } from '../api/errors.ts'
import { ErrorCode, errorName, isAuthorizationFailure, isTransient } from '../protocol/broker-error.ts'

export interface ResponsePart {
  /** Name of the request in the protocol. */
  readonly request: string
  /** What it was about, as in "topic orders". */
  readonly subject: string
  readonly errorCode: number
  /** What the broker said beside the code. */
  readonly reason?: string | null | undefined
}

/** Throws what an error code in a response means: NOT_AUTHORIZED, REQUEST_NOT_READY (retriable) or REQUEST_REFUSED. */
export function checkResponse(part: ResponsePart): void {
  const { request, subject, errorCode } = part
  if (errorCode === ErrorCode.NONE) return
  const error = errorName(errorCode)
  if (isAuthorizationFailure(errorCode)) throw kafkaErrors.NOT_AUTHORIZED({ request, subject, error })
  const reason = part.reason ?? 'the broker says no more'
  const maker =
    isTransient(errorCode) || lacksBrokersForNow(part) ? kafkaErrors.REQUEST_NOT_READY : kafkaErrors.REQUEST_REFUSED
  throw maker({ request, subject, error, reason })
}

/**
 * A broker that has started, or was too busy to tell the controller that it lives, is fenced for a while. KRaft counts it out and
 * refuses a topic with the code for too many replicas; only its text tells the two apart (Kafka 3.3 to 4.3).
 */
function lacksBrokersForNow({ errorCode, reason }: ResponsePart): boolean {
  return errorCode === ErrorCode.INVALID_REPLICATION_FACTOR && /\bfenced\b/.test(reason ?? '')
}
