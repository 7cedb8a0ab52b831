import { ErrorCode, isTransient } from '../protocol/broker-error.ts'
import type { Failure } from './batch.ts'

/** What an error code of a produce response means for the batch; `refused`: no waiting and no resending mends it. */
export type ProduceOutcome = 'written' | Failure | 'refused'

/** A batch that arrives damaged is damaged on the way; one that always does is damaged here. Attempts in an outage do not count. */
const CORRUPTIONS_MAX = 5

/** `corruptions`: how often the batch has arrived damaged, this answer included. */
export function produceOutcome(errorCode: number, corruptions: number): ProduceOutcome {
  switch (errorCode) {
    case ErrorCode.NONE:
    // The broker has it from an attempt whose answer was lost.
    case ErrorCode.DUPLICATE_SEQUENCE_NUMBER:
      return 'written'
    // Checked before the batch is written.
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
      // A leader may have written the batch and lost its office, or its replicas, before it could acknowledge it.
      return isTransient(errorCode) ? 'inDoubt' : 'refused'
  }
}
