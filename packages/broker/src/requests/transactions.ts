import { endMarker } from '../batch/checksum.ts'
import { lastSequenceOf } from '../log/producer-states.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import type { Transaction } from '../transactions/transaction-coordinator.ts'
import type { Call, Handler } from './call.ts'

type TransactionTopics = RequestOf<'AddPartitionsToTxn'>['v3AndBelowTopics']
type TopicResults = NonNullable<ResponseOf<'AddPartitionsToTxn'>['resultsByTopicV3AndBelow']>

/** First version with several transactions, which only brokers send. */
const BETWEEN_BROKERS_FROM = 4

export const initProducerId: Handler<'InitProducerId'> = (request, { state, nowMs }, answer) => {
  const { transactionalId, transactionTimeoutMs, producerId, producerEpoch } = request
  const none = { producerId: -1n, producerEpoch: -1 }
  if (transactionalId === '' || producerId < 0n !== producerEpoch < 0) {
    answer({ ...none, errorCode: ErrorCode.INVALID_REQUEST })
    return
  }
  if (transactionalId === null) {
    answer({ errorCode: ErrorCode.NONE, producerId: state.transactions.newProducerId(), producerEpoch: 0 })
    return
  }
  const claim = { transactionalId, producerId, epoch: producerEpoch }
  const { epoch, ...result } = state.transactions.init(claim, transactionTimeoutMs, nowMs)
  answer({ ...result, producerEpoch: epoch })
}

export const addPartitionsToTxn: Handler<'AddPartitionsToTxn'> = (request, call, answer) => {
  if (call.version < BETWEEN_BROKERS_FROM) {
    const results = addPartitions(
      {
        transactionalId: request.v3AndBelowTransactionalId,
        producerId: request.v3AndBelowProducerId,
        epoch: request.v3AndBelowProducerEpoch,
      },
      request.v3AndBelowTopics,
      call,
    )
    answer({ resultsByTopicV3AndBelow: results })
    return
  }
  const resultsByTransaction = request.transactions.map((each) => {
    const { transactionalId, producerId, producerEpoch, topics } = each
    return {
      transactionalId,
      topicResults: addPartitions({ transactionalId, producerId, epoch: producerEpoch }, topics, call),
    }
  })
  answer({ errorCode: ErrorCode.NONE, resultsByTransaction })
}

interface Claim {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly epoch: number
}

function addPartitions(claim: Claim, topics: TransactionTopics, { state, nowMs }: Call): TopicResults {
  const isKnown = (name: string, partition: number): boolean => state.topics.log(name, partition) !== undefined
  const wanted = topics.flatMap(({ name, partitions }) => partitions.map((partition) => [name, partition] as const))
  // All or none.
  const areKnown = wanted.every(([name, partition]) => isKnown(name, partition))
  const result = areKnown ? state.transactions.addPartitions(claim, wanted, nowMs) : ErrorCode.OPERATION_NOT_ATTEMPTED
  return topics.map(({ name, partitions }) => ({
    name,
    resultsByPartition: partitions.map((partitionIndex) => ({
      partitionIndex,
      partitionErrorCode: isKnown(name, partitionIndex) ? result : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    })),
  }))
}

export const addOffsetsToTxn: Handler<'AddOffsetsToTxn'> = (request, { state, nowMs }, answer) => {
  const { transactionalId, producerId, producerEpoch, groupId } = request
  const claim = { transactionalId, producerId, epoch: producerEpoch }
  answer({ errorCode: state.transactions.addGroup(claim, groupId, nowMs) })
}

export const endTxn: Handler<'EndTxn'> = (request, { state, nowMs }, answer) => {
  const { transactionalId, producerId, producerEpoch, committed } = request
  const claim = { transactionalId, producerId, epoch: producerEpoch }
  const errorCode = state.transactions.end(claim, committed, nowMs)
  const isDone = errorCode === ErrorCode.NONE
  answer({ errorCode, producerId: isDone ? producerId : -1n, producerEpoch: isDone ? producerEpoch : -1 })
}

/**
 * Ends transactions in single partitions: `kafka-transactions abort` does so for one whose coordinator has forgotten it.
 * Kafka's brokers also send it to each other.
 */
export const writeTxnMarkers: Handler<'WriteTxnMarkers'> = ({ markers }, call, answer) => {
  answer({
    markers: markers.map(({ producerId, producerEpoch: epoch, transactionResult: isCommit, topics }) => ({
      producerId,
      topics: topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => {
          const place = [name, partitionIndex] as const
          return { partitionIndex, errorCode: writeMarker(place, { producerId, epoch, isCommit }, call) }
        }),
      })),
    })),
  })
}

function writeMarker(
  [name, partition]: readonly [string, number],
  marker: { readonly producerId: bigint; readonly epoch: number; readonly isCommit: boolean },
  { state, nowMs }: Call,
): number {
  const topic = state.topics.get(name)
  const log = topic?.partitions[partition]
  if (topic === undefined || log === undefined) return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
  const known = log.producers.get(marker.producerId)
  if (known !== undefined && marker.epoch < known.epoch) return ErrorCode.INVALID_PRODUCER_EPOCH
  state.topics.append(topic, partition, endMarker({ ...marker, timeMs: nowMs }), nowMs)
  state.fetches.grown(log, nowMs)
  return ErrorCode.NONE
}

export const describeTransactions: Handler<'DescribeTransactions'> = ({ transactionalIds }, { state }, answer) => {
  const transactionStates = transactionalIds.map((transactionalId) => {
    const transaction = state.transactions.get(transactionalId)
    if (transaction === undefined) return { transactionalId, errorCode: ErrorCode.TRANSACTIONAL_ID_NOT_FOUND }
    return describe(transaction)
  })
  answer({ transactionStates })
}

function describe(
  transaction: Transaction,
): NonNullable<ResponseOf<'DescribeTransactions'>['transactionStates']>[number] {
  const topics = new Map<string, number[]>()
  for (const [topic, partition] of transaction.partitions.values()) {
    topics.set(topic, [...(topics.get(topic) ?? []), partition])
  }
  return {
    errorCode: ErrorCode.NONE,
    transactionalId: transaction.transactionalId,
    transactionState: transaction.state,
    transactionTimeoutMs: transaction.timeoutMs,
    transactionStartTimeMs: BigInt(transaction.startedAtMs),
    producerId: transaction.producerId,
    producerEpoch: transaction.epoch,
    topics: Array.from(topics, ([topic, partitions]) => ({ topic, partitions })),
  }
}

export const listTransactions: Handler<'ListTransactions'> = (request, { state, nowMs }, answer) => {
  const { stateFilters, producerIdFilters, durationFilter, transactionalIdPattern } = request
  const isWanted = (each: Transaction): boolean => {
    if (stateFilters.length > 0 && !stateFilters.includes(each.state)) return false
    if (producerIdFilters.length > 0 && !producerIdFilters.includes(each.producerId)) return false
    return durationFilter < 0n || (each.state === 'Ongoing' && BigInt(nowMs - each.startedAtMs) > durationFilter)
  }
  if (transactionalIdPattern !== null && transactionalIdPattern !== '') {
    // A pattern of a client is not compiled: it could keep the broker busy for minutes.
    answer({ errorCode: ErrorCode.INVALID_REQUEST })
    return
  }
  const unknownStateFilters = stateFilters.filter((each) => !TRANSACTION_STATES.includes(each))
  const transactionStates = [...state.transactions.all]
    .filter(isWanted)
    .map(({ transactionalId, producerId, state: transactionState }) => ({
      transactionalId,
      producerId,
      transactionState,
    }))
  answer({ errorCode: ErrorCode.NONE, unknownStateFilters, transactionStates })
}

const TRANSACTION_STATES: readonly string[] =
  'Empty Ongoing PrepareCommit PrepareAbort CompleteCommit CompleteAbort Dead PrepareEpochFence'.split(' ')

export const describeProducers: Handler<'DescribeProducers'> = ({ topics }, { state }, answer) => {
  answer({
    topics: topics.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => {
        const log = state.topics.log(name, partitionIndex)
        if (log === undefined) {
          return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, errorMessage: null }
        }
        const activeProducers = Array.from(log.producers.all, (producer) => ({
          producerId: producer.producerId,
          producerEpoch: producer.epoch,
          lastSequence: lastSequenceOf(producer),
          lastTimestamp: producer.lastTimestamp,
          coordinatorEpoch: producer.openFrom === null ? -1 : 0,
          currentTxnStartOffset: BigInt(producer.openFrom ?? -1),
        }))
        return { partitionIndex, errorCode: ErrorCode.NONE, errorMessage: null, activeProducers }
      }),
    })),
  })
}
