import type { IncomingHttpHeaders } from 'node:http'
import { isListedOrigin, type AllowedCallers } from '../http/caller.ts'
import { parseContentType } from '../http/media-type.ts'

export interface BrowserRequest {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

export interface Refusal {
  readonly status: 403 | 415
  readonly message: string
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Why a request of a web page that may change something is refused; null when it is not. A request is one of a browser
 * when it has an Origin or a Sec-Fetch-Site header, which no page can remove or change. Others, those of curl and
 * operators, have neither, and Kafka Connect's rules alone apply to them.
 *
 * - The browser states that the page is of this worker (`same-origin`), or its origin is in `rest.allowed.origins`.
 *   `refuseCaller` has compared the Origin, which browsers may omit.
 * - The Content-Type is JSON: a page of another origin cannot send that without a permission that this server never
 *   gives (CORS). Without a body, a page of this worker may omit it, as with Kafka Connect, when the browser sends both
 *   headers.
 */
export function refuseBrowserChange({ method, headers }: BrowserRequest, allowed: AllowedCallers): Refusal | null {
  const { origin, 'content-type': type } = headers
  const site = headers['sec-fetch-site']
  if (SAFE.has(method) || (origin === undefined && site === undefined)) return null
  const isListed = origin !== undefined && isListedOrigin(origin, allowed.origins)
  if (site !== undefined && site !== 'same-origin' && !isListed) {
    const message = `A web page of another site must not change anything (Sec-Fetch-Site: ${String(site).slice(0, 40)}). If it may, add its origin to rest.allowed.origins`
    return { status: 403, message }
  }
  if (site === 'same-origin' && origin !== undefined && type === undefined && !hasBody(headers)) return null
  const mediaType = type === undefined ? null : parseContentType(type)
  if (mediaType?.type === 'application' && mediaType.subtype === 'json') return null
  return {
    status: 415,
    message: 'A request of a web page that may change something needs Content-Type: application/json',
  }
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}
