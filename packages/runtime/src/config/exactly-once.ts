import type { ConfigMap } from '@tributary/connect-api'
import { runtimeErrors } from '../errors.ts'

/** Where transactions of a task end: `transaction.boundary`. */
export type TransactionBoundary = 'poll' | 'interval' | 'connector'

/** The settings of a connector for exactly-once delivery. */
export interface TransactionSettings {
  readonly boundary: TransactionBoundary
  /** `transaction.boundary.interval.ms`; null: the interval of offset commits. */
  readonly intervalMs: number | null
}

/**
 * Reads them from the properties of a task, in which references are resolved: only here all values are known.
 *
 * @throws TRANSACTION_SETTING_INVALID
 */
export function transactionSettings(connector: ConfigMap): TransactionSettings {
  return { boundary: boundaryOf(connector), intervalMs: intervalOf(connector) }
}

const BOUNDARIES: readonly TransactionBoundary[] = ['poll', 'interval', 'connector']

function boundaryOf(connector: ConfigMap): TransactionBoundary {
  const property = 'transaction.boundary'
  const value = connector[property] ?? 'poll'
  const found = BOUNDARIES.find((boundary) => boundary === value.trim().toLowerCase())
  if (found === undefined) {
    throw runtimeErrors.TRANSACTION_SETTING_INVALID({ property, value, expected: 'poll, interval or connector' })
  }
  return found
}

function intervalOf(connector: ConfigMap): number | null {
  const property = 'transaction.boundary.interval.ms'
  const value = connector[property] ?? ''
  if (value.trim() === '') return null
  if (!/^\s*\d+\s*$/.test(value)) {
    throw runtimeErrors.TRANSACTION_SETTING_INVALID({ property, value, expected: 'a number of milliseconds' })
  }
  return Number(value)
}

/** The transactional id of a task’s producer, as workers of Kafka Connect name it (Worker.taskTransactionalId). */
export function taskTransactionalId(groupId: string, connector: string, task: number): string {
  return `${groupId}-${connector}-${task}`
}

/** The transactional id of the producer with which the leader of a group writes to the config topic. */
export function leaderTransactionalId(groupId: string): string {
  return `connect-cluster-${groupId}`
}

/** Where the offsets of a connector are, seen from the worker. */
export interface OffsetsPlace {
  /** The topic of the connector's offsets. */
  readonly topic: string
  readonly workerTopic: string
  readonly isExactlyOnce: boolean
  /** Whether the records go to the cluster of the worker. */
  readonly isWorkerCluster: boolean
}

/**
 * Whether the connector has offsets of its own, besides those in the topic of the worker: under another name, or, with
 * exactly-once delivery, in the cluster of its records, since a transaction is in one cluster.
 */
export function hasOwnOffsets({ topic, workerTopic, isExactlyOnce, isWorkerCluster }: OffsetsPlace): boolean {
  return topic !== workerTopic || (isExactlyOnce && !isWorkerCluster)
}

/** The topic of the connector’s offsets, in the cluster that its records go to. */
export function offsetsTopicOf(connector: ConfigMap, workerTopic: string): string {
  const own = connector['offsets.storage.topic']?.trim() ?? ''
  return own === '' ? workerTopic : own
}
