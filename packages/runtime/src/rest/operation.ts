import { doneOr, StoppedError, toError } from '@tributary/support'
import type { Clock, Logger } from '@tributary/support'
import { HerderError } from '../herder/herder-error.ts'
import { errorDocument } from './error-answer.ts'
import { JsonError } from './json/json-error.ts'
import { RequestError } from './request-error.ts'
import type { Handler, RestAnswer, RestRequest } from './rest-answer.ts'
import { toRequestError } from './rest-errors.ts'

export interface OperationLimits {
  readonly logger: Logger
  readonly clock: Clock
  /** After this time, the answer is an error. */
  readonly timeoutMs: number
}

export interface OperationOptions extends OperationLimits {
  /** Method and path, for messages. */
  readonly title: string
}

/** Runs an operation. Every failure becomes an answer; a failure that the request did not cause is also logged. */
export async function runOperation(
  handle: Handler,
  request: RestRequest,
  options: OperationOptions,
): Promise<RestAnswer> {
  try {
    const answer = handle(request)
    return answer instanceof Promise ? await waitFor(answer, options) : answer
  } catch (error) {
    if (error instanceof HerderError) {
      return failure(toRequestError(error))
    }
    if (error instanceof RequestError) return failure(error)
    if (error instanceof JsonError) return failure(new RequestError(500, error.message))
    options.logger.error(`${options.title} failed`, { error })
    return failure(new RequestError(500, toError(error).message))
  }
}

function failure({ status, message, retryAfterS }: RequestError): RestAnswer {
  const answer = { status, document: errorDocument(status, message) }
  return retryAfterS === undefined ? answer : { ...answer, retryAfterS }
}

async function waitFor(answer: Promise<RestAnswer>, options: OperationOptions): Promise<RestAnswer> {
  const { clock, timeoutMs, title } = options
  const deadline = new AbortController()
  const timer = clock.after(timeoutMs, () => deadline.abort())
  try {
    return await doneOr(answer, deadline.signal)
  } catch (error) {
    if (!(error instanceof StoppedError && deadline.signal.aborted)) throw error
    const advice = 'It may still complete: read the connector or its status to find out'
    throw new RequestError(500, `Request timed out. ${title} took longer than ${timeoutMs / 1000} s. ${advice}`, error)
  } finally {
    timer.cancel()
  }
}
