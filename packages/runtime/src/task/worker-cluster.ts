import type { Kafka } from '@tributary/kafka'
import type { TaskClients } from './task-clients.ts'

/**
 * Whether records go to the cluster of the worker, also if by other addresses, such as those of another listener. Waits
 * while the brokers are unreachable.
 */
export async function goToWorkerCluster(
  { isWorkerCluster, records, offsets }: Pick<TaskClients, 'isWorkerCluster' | 'records' | 'offsets'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (isWorkerCluster) return true
  const [ofRecords, ofWorker] = await Promise.all([clusterId(records, signal), clusterId(offsets, signal)])
  return ofRecords === ofWorker
}

async function clusterId(kafka: Kafka, signal: AbortSignal): Promise<string> {
  await using admin = kafka.admin()
  return (await admin.cluster(signal)).clusterId
}
