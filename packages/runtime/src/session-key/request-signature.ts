import { createHmac, timingSafeEqual } from 'node:crypto'
import { macAlgorithm } from '../config/mac-algorithms.ts'
import type { SessionKeySettings } from '../config/session-key-settings.ts'
import type { SessionKey } from './session-key.ts'

/** The signature of a request from another worker of the group, as its headers contain it. */
export interface RequestSignature {
  /** Java's name of an algorithm that exists. Whether the settings allow it is not checked yet. */
  readonly algorithm: string
  readonly bytes: Buffer
}

/** An internal request, which a worker sends to another one. */
export interface InternalRequest {
  /** The signed bytes. */
  readonly body: Buffer
  /** Null when the request has no signature. */
  readonly signature: RequestSignature | null
}

export const SIGNATURE_HEADER = 'X-Connect-Authorization'
export const ALGORITHM_HEADER = 'X-Connect-Request-Signature-Algorithm'

/** The headers that sign a body for the other workers. */
export function signatureHeaders(
  body: Buffer,
  { key }: SessionKey,
  { signatureAlgorithm }: SessionKeySettings,
): Readonly<Record<string, string>> {
  return {
    [SIGNATURE_HEADER]: mac(signatureAlgorithm, key, body).toString('base64'),
    [ALGORITHM_HEADER]: signatureAlgorithm,
  }
}

/** Why a request is refused. */
export type SignatureRefusal =
  | { readonly tag: 'signature missing' }
  | { readonly tag: 'signature algorithm refused'; readonly algorithm: string; readonly allowed: readonly string[] }
  | { readonly tag: 'no session key' }
  | { readonly tag: 'signature invalid' }

/** Returns null if a worker of the group has signed the request. The checks have Kafka Connect's order. */
export function refuseSignature(
  { body, signature }: InternalRequest,
  sessionKey: SessionKey | null,
  { verificationAlgorithms: allowed }: SessionKeySettings,
): SignatureRefusal | null {
  if (signature === null) return { tag: 'signature missing' }
  const { algorithm, bytes } = signature
  if (!allowed.includes(algorithm)) return { tag: 'signature algorithm refused', algorithm, allowed }
  if (sessionKey === null) return { tag: 'no session key' }
  const expected = mac(algorithm, sessionKey.key, body)
  // `timingSafeEqual` requires equal lengths, which are no secret.
  const isValid = expected.length === bytes.length && timingSafeEqual(expected, bytes)
  return isValid ? null : { tag: 'signature invalid' }
}

function mac(algorithm: string, key: SessionKey['key'], body: Buffer): Buffer {
  // The settings and the reader of the headers admit only algorithms that exist.
  return createHmac(macAlgorithm(algorithm)?.hash ?? algorithm, key)
    .update(body)
    .digest()
}
