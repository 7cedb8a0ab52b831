import { protocolErrors, protocolErrorsCodesById } from '@platformatic/kafka'

/** The error codes of the protocol (protocol guide, "Error Codes") that this client handles by name. */
export const ErrorCode = {
  NONE: 0,
  OFFSET_OUT_OF_RANGE: 1,
  CORRUPT_MESSAGE: 2,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  NOT_LEADER_OR_FOLLOWER: 6,
  REQUEST_TIMED_OUT: 7,
  BROKER_NOT_AVAILABLE: 8,
  REPLICA_NOT_AVAILABLE: 9,
  MESSAGE_TOO_LARGE: 10,
  COORDINATOR_LOAD_IN_PROGRESS: 14,
  COORDINATOR_NOT_AVAILABLE: 15,
  NOT_COORDINATOR: 16,
  INVALID_TOPIC_EXCEPTION: 17,
  RECORD_LIST_TOO_LARGE: 18,
  NOT_ENOUGH_REPLICAS: 19,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 20,
  ILLEGAL_GENERATION: 22,
  INCONSISTENT_GROUP_PROTOCOL: 23,
  UNKNOWN_MEMBER_ID: 25,
  REBALANCE_IN_PROGRESS: 27,
  TOPIC_AUTHORIZATION_FAILED: 29,
  GROUP_AUTHORIZATION_FAILED: 30,
  CLUSTER_AUTHORIZATION_FAILED: 31,
  UNSUPPORTED_SASL_MECHANISM: 33,
  UNSUPPORTED_VERSION: 35,
  TOPIC_ALREADY_EXISTS: 36,
  INVALID_REPLICATION_FACTOR: 38,
  NOT_CONTROLLER: 41,
  OUT_OF_ORDER_SEQUENCE_NUMBER: 45,
  DUPLICATE_SEQUENCE_NUMBER: 46,
  INVALID_PRODUCER_EPOCH: 47,
  INVALID_TXN_STATE: 48,
  INVALID_PRODUCER_ID_MAPPING: 49,
  INVALID_TRANSACTION_TIMEOUT: 50,
  CONCURRENT_TRANSACTIONS: 51,
  TRANSACTION_COORDINATOR_FENCED: 52,
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 53,
  KAFKA_STORAGE_ERROR: 56,
  UNKNOWN_PRODUCER_ID: 59,
  GROUP_ID_NOT_FOUND: 69,
  FENCED_LEADER_EPOCH: 74,
  UNKNOWN_LEADER_EPOCH: 75,
  MEMBER_ID_REQUIRED: 79,
  PRODUCER_FENCED: 90,
  UNKNOWN_TOPIC_ID: 100,
} as const

/** The name of an error code in the protocol guide. */
export function errorName(code: number): string {
  return protocolErrorsCodesById[code] ?? `error ${code}`
}

/**
 * Whether a retry may succeed: by Kafka's own table, and after BROKER_NOT_AVAILABLE, which a broker returns while it
 * starts or stops.
 */
export function isTransient(code: number): boolean {
  if (code === ErrorCode.BROKER_NOT_AVAILABLE) return true
  const definition = protocolErrors[errorName(code)]
  return definition?.canRetry ?? false
}

export function isAuthorizationFailure(code: number): boolean {
  return AUTHORIZATION_FAILURES.includes(code)
}

const AUTHORIZATION_FAILURES: readonly number[] = [
  ErrorCode.TOPIC_AUTHORIZATION_FAILED,
  ErrorCode.GROUP_AUTHORIZATION_FAILED,
  ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
  ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
]

/**
 * Whether the code says that the producer no longer owns its transactional id: another producer has taken it over, or the
 * coordinator has aborted a transaction that took longer than its limit.
 */
export function isFenced(code: number): boolean {
  return FENCED.includes(code)
}

const FENCED: readonly number[] = [
  ErrorCode.INVALID_PRODUCER_EPOCH,
  ErrorCode.INVALID_TXN_STATE,
  ErrorCode.INVALID_PRODUCER_ID_MAPPING,
  ErrorCode.PRODUCER_FENCED,
]
