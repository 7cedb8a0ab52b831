import { readBatches, readRecords } from '@tributary/kafka'
import { isControl } from '../batch/batch-header.ts'
import { LEADER_EPOCH, type PartitionLog } from '../log/partition-log.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { Handler } from './call.ts'

/** Special timestamps of ListOffsets. */
const LATEST = -1n
const EARLIEST = -2n
const MAX_TIMESTAMP = -3n
const EARLIEST_LOCAL = -4n
const READ_COMMITTED = 1

interface FoundOffset {
  readonly offset: number
  readonly timestamp: bigint
}

export const listOffsets: Handler<'ListOffsets'> = (request, { state }, answer) => {
  answer({
    topics: request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, timestamp, currentLeaderEpoch }) => {
        const none = { partitionIndex, timestamp: -1n, offset: -1n, leaderEpoch: -1 }
        const log = state.topics.log(name, partitionIndex)
        if (log === undefined) return { ...none, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION }
        if (currentLeaderEpoch > LEADER_EPOCH) return { ...none, errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH }
        const found = find(log, timestamp, request.isolationLevel === READ_COMMITTED)
        if (found === null) return { ...none, errorCode: ErrorCode.NONE }
        const { offset, timestamp: foundTime } = found
        return { ...none, errorCode: ErrorCode.NONE, offset: BigInt(offset), timestamp: foundTime, leaderEpoch: 0 }
      }),
    })),
  })
}

function find(log: PartitionLog, timestamp: bigint, isCommittedOnly: boolean): FoundOffset | null {
  const end = isCommittedOnly ? log.stableOffset : log.endOffset
  switch (timestamp) {
    case LATEST:
      return { offset: end, timestamp: -1n }
    case EARLIEST:
    case EARLIEST_LOCAL:
      return { offset: log.startOffset, timestamp: -1n }
    case MAX_TIMESTAMP:
      return findMaxTimestamp(log)
    default:
      return timestamp < 0n ? null : findByTime(log, timestamp, end)
  }
}

/** The first record with that time or a later one. */
function findByTime(
  log: Pick<PartitionLog, 'batches' | 'startOffset'>,
  timestamp: bigint,
  end: number,
): FoundOffset | null {
  for (const { header, stored } of log.batches) {
    if (header.maxTimestamp < timestamp || header.lastOffset < log.startOffset) continue
    if (isControl(header)) return { offset: header.baseOffset, timestamp: header.maxTimestamp }
    for (const record of readBatches(stored.read()).flatMap((batch) => readRecords(batch))) {
      const offset = header.baseOffset + record.offsetDelta
      if (record.timestamp < Number(timestamp) || offset < log.startOffset) continue
      return offset < end ? { offset, timestamp: BigInt(record.timestamp) } : null
    }
  }
  return null
}

function findMaxTimestamp(log: PartitionLog): FoundOffset | null {
  // As in Kafka also of a record before the start of the log, as long as its segment is there.
  const { batches } = log
  const latest = batches.reduce((max, { header }) => (header.maxTimestamp > max ? header.maxTimestamp : max), -1n)
  return latest < 0n ? null : findByTime({ batches, startOffset: 0 }, latest, log.endOffset)
}

export const offsetForLeaderEpoch: Handler<'OffsetForLeaderEpoch'> = (request, { state }, answer) => {
  answer({
    topics: request.topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition, currentLeaderEpoch, leaderEpoch }) => {
        const none = { partition, leaderEpoch: -1, endOffset: -1n }
        const log = state.topics.log(topic, partition)
        if (log === undefined) return { ...none, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION }
        if (currentLeaderEpoch > LEADER_EPOCH) return { ...none, errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH }
        if (leaderEpoch !== LEADER_EPOCH) return { ...none, errorCode: ErrorCode.NONE }
        return { partition, errorCode: ErrorCode.NONE, leaderEpoch, endOffset: BigInt(log.endOffset) }
      }),
    })),
  })
}

export const deleteRecords: Handler<'DeleteRecords'> = (request, { state }, answer) => {
  answer({
    topics: request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, offset }) => {
        const none = { partitionIndex, lowWatermark: -1n }
        const topic = state.topics.get(name)
        const log = topic?.partitions[partitionIndex]
        if (topic === undefined || log === undefined) {
          return { ...none, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION }
        }
        if (!topic.config.isDeleted) return { ...none, errorCode: ErrorCode.POLICY_VIOLATION }
        const wanted = offset === -1n ? log.endOffset : Number(offset)
        if (wanted < 0 || wanted > log.endOffset) return { ...none, errorCode: ErrorCode.OFFSET_OUT_OF_RANGE }
        state.topics.deleteRecords(topic, partitionIndex, wanted)
        return { ...none, errorCode: ErrorCode.NONE, lowWatermark: BigInt(log.startOffset) }
      }),
    })),
  })
}
