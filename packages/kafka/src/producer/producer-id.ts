import { initProducerIdV4 } from '@platformatic/kafka'
import type { Cluster } from '../cluster/cluster.ts'
import { checkResponse } from '../cluster/response-check.ts'
import type { ProducerState } from '../protocol/record-batch.ts'

/** Without a transactional id the broker does not look at it. */
const NO_TRANSACTION_TIMEOUT = 0

/** A new producer id (KIP-98). Waits while brokers are away; rejects when the user may not produce. */
export function initProducerId(cluster: Cluster, signal?: AbortSignal): Promise<ProducerState> {
  const ask = async (): Promise<ProducerState> => {
    // -1: a new id. The library's default, 0, claims an existing one.
    const response = await cluster.request('any', initProducerIdV4.api, null, NO_TRANSACTION_TIMEOUT, -1n, -1)
    checkResponse({ request: 'InitProducerId', subject: 'an idempotent producer', errorCode: response.errorCode })
    return { producerId: response.producerId, epoch: response.producerEpoch }
  }
  return cluster.waitingOut('producer id', ask, signal)
}
