import { hostname } from 'node:os'
import type { RestListener } from '../config/rest-settings.ts'
import type { WorkerConfig } from '../config/worker-config.ts'

export interface AdvertisedAddress {
  /** `host:port`, under which the worker is known in statuses. */
  readonly workerId: string
  /** `http://host:port/`: where the other workers of the group send requests. */
  readonly url: string
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/**
 * The address of the listener of `rest.advertised.listener`, or else of the first one with http, or else of the first
 * one, as in Kafka Connect. `ports`: the ports on which the listeners are open, in the order of the listeners.
 */
export function advertisedAddress(
  config: Pick<WorkerConfig, 'advertisedHost' | 'advertisedPort' | 'isTlsAdvertised'> & {
    readonly rest: { readonly listeners: readonly RestListener[] }
  },
  ports: readonly number[],
): AdvertisedAddress {
  const { advertisedHost, advertisedPort, isTlsAdvertised } = config
  const listeners = config.rest.listeners.map((listener, i) => ({ ...listener, port: ports[i] ?? listener.port }))
  const wanted = listeners.find(({ isTls }) => isTls === (isTlsAdvertised ?? false)) ?? listeners[0]
  const listening = wanted?.host ?? ''
  const host = advertisedHost ?? (WILDCARDS.has(listening) ? hostname() : listening)
  const workerId = `${host.includes(':') ? `[${host}]` : host}:${advertisedPort ?? wanted?.port ?? 0}`
  return { workerId, url: `${wanted?.isTls === true ? 'https' : 'http'}://${workerId}/` }
}
