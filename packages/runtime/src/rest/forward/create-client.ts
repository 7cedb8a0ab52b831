import type { ConfigMap } from '@tributary/connect-api'
import { tlsOptionsFromProperties, type TlsOptions } from '@tributary/kafka'
import type { Clock } from '@tributary/support'
import { listenerTlsProperties } from '../../config/rest-settings.ts'
import { WorkerClient } from './worker-client.ts'

/** Shorter than the limit of a request of a client, which then gets the reason. */
const TIMEOUT_MS = 85_000

/** The client of other workers, with the keys and authorities of this worker's listener for https. */
export function createWorkerClient(properties: ConfigMap, clock: Clock): WorkerClient {
  // Read when the first worker with https is called: most have none.
  const tls = (): TlsOptions => tlsOptionsFromProperties(listenerTlsProperties(properties))
  return new WorkerClient({ tls, clock, timeoutMs: TIMEOUT_MS })
}
