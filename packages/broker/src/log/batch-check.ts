import { describeError, toError } from '@tributary/support'
import { readBatches, readRecords, type BatchRecord } from '@tributary/kafka'
import { ErrorCode } from '../protocol/error-code.ts'
import {
  BATCH_HEADER_BYTES,
  isControl,
  isTransactional,
  NO_PRODUCER_ID,
  readBatchHeader,
} from '../batch/batch-header.ts'
import { hasValidChecksum } from '../batch/checksum.ts'

export interface BatchProblem {
  readonly errorCode: number
  readonly message: string | null
  /** Position in the batch and problem of single records. */
  readonly records: readonly { readonly index: number; readonly message: string }[]
}

/** The settings of a topic that its batches must comply with. */
export interface BatchLimits {
  readonly isCompacted: boolean
  limit(name: 'max.message.bytes' | 'message.timestamp.before.max.ms' | 'message.timestamp.after.max.ms'): number
  value(name: 'message.timestamp.type'): string
}

/** Checks what a producer sent for one partition; null: it is one valid batch. */
export function checkBatch(bytes: Buffer, limits: BatchLimits, nowMs: number): BatchProblem | null {
  if (bytes.length < BATCH_HEADER_BYTES) return problem(ErrorCode.CORRUPT_MESSAGE, 'The batch has no complete header.')
  const header = readBatchHeader(bytes)
  if (header.magic !== 2) {
    return problem(ErrorCode.INVALID_RECORD, `Batches of message format ${header.magic} are not supported, only 2.`)
  }
  if (header.length !== bytes.length) {
    const isMore = header.length >= BATCH_HEADER_BYTES && header.length < bytes.length
    const text = 'Produce requests must contain exactly one batch per partition.'
    return problem(isMore ? ErrorCode.INVALID_RECORD : ErrorCode.CORRUPT_MESSAGE, text)
  }
  if (!hasValidChecksum(bytes)) return problem(ErrorCode.CORRUPT_MESSAGE, 'The checksum of the batch is wrong.')
  if (bytes.length > limits.limit('max.message.bytes')) {
    return problem(ErrorCode.MESSAGE_TOO_LARGE, `The batch has ${bytes.length} bytes, more than max.message.bytes.`)
  }
  if (isControl(header)) return problem(ErrorCode.INVALID_RECORD, 'Clients may not write control batches.')
  if (header.recordCount <= 0 || header.recordCount !== header.lastOffsetDelta + 1) {
    return problem(ErrorCode.INVALID_RECORD, 'The number of records and the last offset of the batch do not match.')
  }
  if (header.producerId !== NO_PRODUCER_ID && (header.epoch < 0 || header.baseSequence < 0)) {
    return problem(ErrorCode.INVALID_RECORD, 'A batch of an idempotent producer needs an epoch and a sequence number.')
  }
  if (isTransactional(header) && header.producerId === NO_PRODUCER_ID) {
    return problem(ErrorCode.INVALID_RECORD, 'A batch of a transaction needs a producer id.')
  }
  return checkRecords(bytes, limits, nowMs)
}

function checkRecords(bytes: Buffer, limits: BatchLimits, nowMs: number): BatchProblem | null {
  let records: readonly BatchRecord[]
  try {
    records = readBatches(bytes).flatMap((batch) => readRecords(batch))
  } catch (error) {
    return problem(ErrorCode.CORRUPT_MESSAGE, describeError(toError(error)))
  }
  const wrong = records.findIndex(({ offsetDelta }, i) => offsetDelta !== i)
  if (wrong >= 0) return problem(ErrorCode.INVALID_RECORD, `Record ${wrong} has another offset than its position.`)
  if (limits.isCompacted) {
    const withoutKey = records.flatMap(({ key }, index) => (key === null ? [{ index, message: NO_KEY }] : []))
    const message = 'One or more records have been rejected due to 1 record errors in total, and only showing the first'
    if (withoutKey.length > 0) return { errorCode: ErrorCode.INVALID_RECORD, message, records: withoutKey }
  }
  if (limits.value('message.timestamp.type') === 'LogAppendTime') return null
  const before = nowMs - limits.limit('message.timestamp.before.max.ms')
  const after = nowMs + limits.limit('message.timestamp.after.max.ms')
  const outside = records.flatMap(({ timestamp }, index) => {
    const isOutside = timestamp >= 0 && (timestamp < before || timestamp > after)
    return isOutside ? [{ index, message: `Timestamp ${timestamp} is out of range.` }] : []
  })
  if (outside.length === 0) return null
  return { errorCode: ErrorCode.INVALID_TIMESTAMP, message: 'Records have times out of range.', records: outside }
}

const NO_KEY = 'Compacted topic cannot accept message without key'

function problem(errorCode: number, message: string): BatchProblem {
  return { errorCode, message, records: [] }
}
