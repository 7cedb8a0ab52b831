import type { ConfigMap } from '@tributary/connect-api'

/** Where transactions of a task end: `transaction.boundary`. */
export type TransactionBoundary = 'poll' | 'interval' | 'connector'

/** The settings of a connector for exactly-once delivery. */
export interface TransactionSettings {
  readonly boundary: TransactionBoundary
  /** `transaction.boundary.interval.ms`; null: that of offset commits. */
  readonly intervalMs: number | null
}

export function transactionSettings(connector: ConfigMap): TransactionSettings {
  const interval = connector['transaction.boundary.interval.ms']?.trim() ?? ''
  return {
    boundary: (connector['transaction.boundary']?.trim().toLowerCase() ?? 'poll') as TransactionBoundary,
    intervalMs: interval === '' ? null : Number(interval),
  }
}

/** The transactional id of a task’s producer, as workers of Kafka Connect name it (Worker.taskTransactionalId). */
export function taskTransactionalId(groupId: string, connector: string, task: number): string {
  return `${groupId}-${connector}-${task}`
}

/** The transactional id of the producer with which the leader of a group writes to the config topic. */
export function leaderTransactionalId(groupId: string): string {
  return `connect-cluster-${groupId}`
}

/** The topic of the connector’s offsets, in the cluster that its records go to. */
export function offsetsTopicOf(connector: ConfigMap, workerTopic: string): string {
  const own = connector['offsets.storage.topic']?.trim() ?? ''
  return own === '' ? workerTopic : own
}
