import { isLoopback } from '@tributary/support'
import { isIP } from 'node:net'
import { isHost } from './request-target.ts'

/** Who sends a request, as far as its headers and its connection show it. */
export interface Caller {
  /** The Host header; undefined when there is none, which no browser sends. */
  readonly host: string | undefined
  /** The Origin header, which browsers send with each request of a web page that may change something. */
  readonly origin: string | undefined
  /** The address of this machine at which the connection arrived. */
  readonly localAddress: string | undefined
}

export interface AllowedCallers {
  /** Host names besides `localhost`; `*`: all. */
  readonly hosts: readonly string[]
  /** Origins of web pages, as `https://console.example:8443`; `*`: all. */
  readonly origins: readonly string[]
  /** Whether `hosts` applies at every address. Default: only at those of the loopback interface. */
  readonly isStrict?: boolean
}

/**
 * Why a request is refused; null when it is not. Without a login, a web page that is open in a browser could drive a
 * worker that the browser reaches:
 *
 * - by a cross-site request, which needs no permission when it looks like a form: it has an Origin header
 * - by its own name, once that resolves to an address of the worker (DNS rebinding): it has that name in the Host header
 *
 * At other addresses than those of the loopback interface, names of services and proxies cannot be known, so any name is
 * answered unless the worker's names are set (`isStrict`).
 *
 * Kafka Connect answers both.
 */
export function refuseCaller({ host, origin, localAddress }: Caller, allowed: AllowedCallers): string | null {
  if (origin !== undefined && !isAllowedOrigin(origin, host, allowed.origins)) {
    return `A web page of ${shown(origin)} must not use the REST interface. If it may, add its origin to rest.allowed.origins`
  }
  // A malformed one is refused with 400.
  if (host === undefined || !isHost(host)) return null
  const isLocal = isLoopback(localAddress)
  if ((!isLocal && allowed.isStrict !== true) || isAllowedHost(host, allowed.hosts)) return null
  const place = isLocal ? 'a name of the loopback address that the request arrived at' : 'a name of this worker'
  return `The Host header names ${shown(host)}, which is not ${place}. If clients or a proxy use that name, add it to rest.allowed.hosts`
}

/** Whether `rest.allowed.origins` has an origin. */
export function isListedOrigin(origin: string, allowed: readonly string[]): boolean {
  const lower = origin.toLowerCase()
  return allowed.some((each) => each === '*' || each.toLowerCase() === lower)
}

function isAllowedOrigin(origin: string, host: string | undefined, allowed: readonly string[]): boolean {
  if (isListedOrigin(origin, allowed)) return true
  // A page of the worker itself.
  return host !== undefined && origin.toLowerCase().replace(/^https?:\/\//, '') === host.toLowerCase()
}

function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  const name = host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  // A name that is an address cannot be made to resolve to another one.
  if (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0) return true
  return allowed.some((each) => each === '*' || each.toLowerCase() === name)
}

function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
