import type { Clock } from '@tributary/support'
import type { UnsecuredTokens } from '../api/token-settings.ts'
import type { Token } from '../api/token-source.ts'

/** A token without a signature (RFC 7515, appendix A.5), which only a broker for tests accepts. */
export function unsecuredToken({ lifetimeSeconds, principalClaim, claims }: UnsecuredTokens, clock: Clock): Token {
  const nowMs = clock.now()
  const exp = nowMs / 1000 + lifetimeSeconds
  const header = encoded({ alg: 'none' })
  const payload = encoded({ exp, iat: nowMs / 1000, ...claims })
  return {
    value: `${header}.${payload}.`,
    expiresAtMs: Math.floor(exp) * 1000,
    startsAtMs: nowMs,
    user: String(claims[principalClaim]),
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
