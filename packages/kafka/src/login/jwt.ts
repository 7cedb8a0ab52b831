import { kafkaErrors } from '../api/errors.ts'
import type { Token } from '../api/token-source.ts'

/** A token that is sent in one request to the broker; it accepts requests of a login up to 512 KB. */
const TOKEN_LENGTH_MAX = 256 * 1024

/** Header, claims and signature in the alphabet of URLs. The signature of an unsecured token is empty. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/

export interface JwtOptions {
  /** Where it is from, for messages. */
  readonly source: string
  /** What to check. */
  readonly remedy: string
  /** The claim that names the user. Default: sub. */
  readonly userClaim?: string
  readonly nowMs: number
}

/**
 * Reads the lifetime of a JSON Web Token. The broker checks its signature. Throws TOKEN_INVALID, which does not show it.
 */
export function tokenOfJwt(value: string, { source, remedy, userClaim = 'sub', nowMs }: JwtOptions): Token {
  const invalid = (reason: string): Error => kafkaErrors.TOKEN_INVALID({ source, reason, remedy })
  if (value.length > TOKEN_LENGTH_MAX) throw invalid(`it is longer than ${TOKEN_LENGTH_MAX} characters`)
  if (!COMPACT.test(value)) throw invalid('it is not a JSON Web Token (three parts in base64url, separated by dots)')
  const claims = membersOfJson(Buffer.from(value.split('.')[1] ?? '', 'base64url'))
  if (claims === null) throw invalid('its claims are not a JSON object')
  const { exp, iat } = claims
  if (typeof exp !== 'number') throw invalid('it has no expiry (claim exp)')
  const expiresAtMs = Math.floor(exp) * 1000
  if (expiresAtMs <= nowMs) {
    throw invalid(`it expired ${Math.round((nowMs - expiresAtMs) / 1000)} s ago by the clock of this machine`)
  }
  const user = claims[userClaim]
  return {
    value,
    expiresAtMs,
    startsAtMs: typeof iat === 'number' ? iat * 1000 : null,
    user: typeof user === 'string' && user !== '' ? user : '(without a name)',
  }
}

/** The members of a JSON object; null for anything else. */
export function membersOfJson(text: string | Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
