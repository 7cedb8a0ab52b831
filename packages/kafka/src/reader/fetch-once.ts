import type { Cluster } from '../cluster/cluster.ts'
import {
  FETCH_API_KEY,
  FETCH_VERSION,
  fetchRequest,
  parseFetchResponse,
  type FetchQuery,
  type FetchResponse,
} from '../protocol/fetch.ts'

/** Sends one Fetch request to the leader of its partitions. The caller checks the error codes in the response. */
export async function fetchOnce(
  cluster: Cluster,
  leader: number,
  query: FetchQuery,
  signal?: AbortSignal,
): Promise<FetchResponse> {
  const connection = await cluster.pool.connectionTo(leader, signal)
  const request = {
    apiKey: FETCH_API_KEY,
    apiVersion: FETCH_VERSION,
    body: fetchRequest(query),
    parse: parseFetchResponse,
  }
  const { promise, resolve, reject } = Promise.withResolvers<FetchResponse>()
  connection.sendFramed(request, (error, response) =>
    response === undefined ? reject(error ?? new Error('no response')) : resolve(response),
  )
  return promise
}
