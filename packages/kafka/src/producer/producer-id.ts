import { initProducerIdV4 } from '@platformatic/kafka'
import type { Cluster } from '../cluster/cluster.ts'
import { checkResponse } from '../cluster/response-check.ts'
import type { ProducerState } from '../protocol/record-batch.ts'

/** The broker ignores it for a producer without a transactional id. */
const NO_TRANSACTION_TIMEOUT = 0

/**
 * Requests a producer id (KIP-98), with retries while brokers are unreachable. Rejects when the user may not produce.
 */
export function initProducerId(cluster: Cluster, signal?: AbortSignal): Promise<ProducerState> {
  const init = async (): Promise<ProducerState> => {
    // -1 requests a new id. The library's default, 0, is an existing one.
    const response = await cluster.request('any', initProducerIdV4.api, null, NO_TRANSACTION_TIMEOUT, -1n, -1)
    checkResponse({ request: 'InitProducerId', subject: 'an idempotent producer', errorCode: response.errorCode })
    return { producerId: response.producerId, epoch: response.producerEpoch }
  }
  return cluster.retrying('requesting a producer id', init, signal)
}
