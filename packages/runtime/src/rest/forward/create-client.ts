import type { ConfigMap } from '@tributary/connect-api'
import { tlsOptionsFromProperties, type TlsOptions } from '@tributary/kafka'
import type { Clock } from '@tributary/support'
import { listenerTlsProperties } from '../../config/rest-settings.ts'
import { WorkerClient } from './worker-client.ts'

/** Shorter than the time limit of a client's request, so that the client still gets the reason. */
const TIMEOUT_MS = 85_000

/** Creates the client for other workers. For https it uses the keys and authorities of this worker's listener. */
export function createWorkerClient(properties: ConfigMap, clock: Clock): WorkerClient {
  // Read at the first request to a worker with https, since most groups use http.
  const tls = (): TlsOptions => tlsOptionsFromProperties(listenerTlsProperties(properties))
  return new WorkerClient({ tls, clock, timeoutMs: TIMEOUT_MS })
}
