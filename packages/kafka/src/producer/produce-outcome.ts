import { ErrorCode, isTransient } from '../protocol/broker-error.ts'
import type { Failure } from './batch.ts'

/** The meaning of an error code in a Produce response for the batch; `refused`: a retry cannot succeed. */
export type ProduceOutcome = 'written' | Failure | 'refused'

/**
 * A batch that arrives damaged was damaged on the way; one that arrives damaged so often was damaged by this program.
 */
const CORRUPTIONS_MAX = 5

/** `corruptions`: how often the batch has arrived damaged, including this response. */
export function produceOutcome(errorCode: number, corruptions: number): ProduceOutcome {
  switch (errorCode) {
    case ErrorCode.NONE:
    // The broker has written an earlier attempt, whose response was lost.
    case ErrorCode.DUPLICATE_SEQUENCE_NUMBER:
      return 'written'
    // The broker checks this before it writes the batch.
    case ErrorCode.NOT_ENOUGH_REPLICAS:
      return 'notWritten'
    case ErrorCode.CORRUPT_MESSAGE:
      return corruptions < CORRUPTIONS_MAX ? 'notWritten' : 'refused'
    case ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
    case ErrorCode.UNKNOWN_PRODUCER_ID:
      return 'sequence'
    case ErrorCode.MESSAGE_TOO_LARGE:
    case ErrorCode.RECORD_LIST_TOO_LARGE:
      return 'tooLarge'
    default:
      // The leader may have written the batch and been replaced, or lost its replicas, before it could acknowledge it.
      return isTransient(errorCode) ? 'inDoubt' : 'refused'
  }
}
