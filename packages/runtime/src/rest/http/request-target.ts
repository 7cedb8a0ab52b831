import { isUtf8 } from 'node:buffer'

/**
 * A request, as far as the rules for request targets (RFC 9112, section 3.2) concern it. The rules are those of Kafka
 * Connect's HTTP server (Jetty 12). They exist for safety: a path that two programs could interpret differently is
 * refused.
 */
export interface TargetRequest {
  readonly method: string
  /** As in the request line. */
  readonly target: string
  /** The Host header. */
  readonly host: string | undefined
}

/** Why a target is refused with status 400; null when it is not. */
export function refuseTarget({ method, target, host }: TargetRequest): string | null {
  if (host !== undefined && !isHost(host)) return `The Host header is not a host with an optional port`
  if (target === '*') return method === 'OPTIONS' ? null : 'The target * is for OPTIONS only'
  const { authority, path } = splitTarget(target)
  if (authority !== null && authority.toLowerCase() !== host?.toLowerCase()) {
    return `The host of the request target differs from the Host header`
  }
  return path.startsWith('/') ? refusePath(path) : 'The request target is not a path'
}

/**
 * The target for the router: the path without parameters (`;x=1`), fragment and one trailing slash, and the query.
 * Every percent sign is encoded (`%25`), so that the router's decoding restores it: Kafka Connect does not decode the
 * fixed parts of a path (`/%63onnectors` is unknown). `decodeSegment` decodes the value of a path parameter.
 */
export function routableUrl(target: string): string {
  if (target === '*') return '*'
  const { path, query } = splitTarget(target)
  const segments = path.split('/').map((segment) => segment.split(';', 1)[0])
  const bare = segments.join('/').replaceAll('%', '%25')
  return (bare.length > 1 && bare.endsWith('/') ? bare.slice(0, -1) : bare) + query
}

/** Decodes a path segment from the router. `refuseTarget` has checked its encoding. */
export function decodeSegment(segment: string): string {
  return decodeURIComponent(segment)
}

interface TargetParts {
  /** Null when the target is not an absolute URL. */
  readonly authority: string | null
  readonly path: string
  /** Including the question mark, or `''`. */
  readonly query: string
}

function splitTarget(target: string): TargetParts {
  const [withoutFragment = ''] = target.split('#', 1)
  const queryStart = withoutFragment.indexOf('?')
  const beforeQuery = queryStart < 0 ? withoutFragment : withoutFragment.slice(0, queryStart)
  const query = queryStart < 0 ? '' : withoutFragment.slice(queryStart)
  const absolute = /^[a-z][a-z\d+.-]*:\/\/([^/]*)/i.exec(beforeQuery)
  if (absolute === null) return { authority: null, path: beforeQuery, query }
  const [prefix, authority = ''] = absolute
  return { authority, path: beforeQuery.slice(prefix.length) || '/', query }
}

/** Whether the text is a host (RFC 3986, section 3.2.2), with an optional port of 16 bits. */
export function isHost(host: string): boolean {
  const match = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::(\d{1,5}))?$/i.exec(host)
  return match !== null && Number(match[1] ?? 0) <= 65_535
}

function refusePath(path: string): string | null {
  if (path.includes('//')) return 'The path has an empty segment (//)'
  if (/[^\w.~!$&'()*+,;=:@%/-]/.test(path)) return 'The path has a character that must be percent-encoded'
  let depth = 0
  for (const segment of path.slice(1).split('/')) {
    const problem = refuseSegment(segment)
    if (problem !== null) return problem
    if (segment === '..') depth -= 1
    else if (segment !== '.') depth += 1
    if (depth < 0) return 'The path leads above the root (..)'
  }
  return null
}

function refuseSegment(segment: string): string | null {
  const [name = ''] = segment.split(';', 1)
  if ((name === '.' || name === '..') && name !== segment) return 'The path has a dot segment with parameters'
  if (!segment.includes('%')) return null
  if (/%(?![\da-f]{2})/i.test(segment))
    return 'The path has a percent sign that is not followed by two hexadecimal digits'
  const bytes = Buffer.from(
    segment.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )
  if (!isUtf8(bytes)) return 'The path has percent-encoded bytes that are not UTF-8'
  if (/%(?:2f|5c|25)/i.test(segment)) return 'The path has an encoded slash, backslash or percent sign (%2F, %5C, %25)'
  if (/%(?:[01].|7f)/i.test(segment)) return 'The path has an encoded control character'
  return /^(?:\.|%2e){1,2}$/i.test(name) && name.includes('%') ? 'The path has an encoded dot segment' : null
}
