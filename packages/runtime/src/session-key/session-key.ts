import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import type { SessionKeySettings } from '../config/session-key-settings.ts'

/** The secret that the workers of a group share through the config topic (KIP-507). */
export interface SessionKey {
  /** A `KeyObject` does not print its bytes. */
  readonly key: KeyObject
  /** By Java's name: `HmacSHA256`. */
  readonly algorithm: string
  /** When the leader created it, by the leader's clock. */
  readonly createdMs: number
}

/** The key of its record in the config topic. */
export const SESSION_KEY_RECORD = 'session-key'

/** The value of its record, field by field as Kafka Connect writes it. */
export function sessionKeyJson({ key, algorithm, createdMs }: SessionKey): string {
  return JSON.stringify({ key: key.export().toString('base64'), algorithm, 'creation-timestamp': createdMs })
}

/** Null for a document that Kafka Connect would not have written. */
export function sessionKeyOf(document: Readonly<Record<string, unknown>>): SessionKey | null {
  const { key, algorithm, 'creation-timestamp': createdMs } = document
  if (typeof key !== 'string' || typeof algorithm !== 'string' || algorithm === '') return null
  if (typeof createdMs !== 'number' || !Number.isSafeInteger(createdMs)) return null
  const bytes = Buffer.from(key, 'base64')
  // The decoder skips what it does not understand: only the exact bytes are a key.
  const isExact = bytes.length > 0 && bytes.toString('base64').replaceAll('=', '') === key.replaceAll('=', '')
  return isExact ? { key: createSecretKey(bytes), algorithm, createdMs } : null
}

export function generateSessionKey(settings: SessionKeySettings, nowMs: number): SessionKey {
  const { keyAlgorithm: algorithm, keyBytes } = settings
  return { key: createSecretKey(randomBytes(keyBytes)), algorithm, createdMs: nowMs }
}

/**
 * When the leader must store another key, in ms from now; 0: now. The rules are those of Kafka Connect: there is no
 * key, it is too old, or it has another algorithm or size than the leader's settings.
 */
export function rotationDelayMs(current: SessionKey | null, settings: SessionKeySettings, nowMs: number): number {
  if (current === null || current.algorithm !== settings.keyAlgorithm) return 0
  if (current.key.symmetricKeySize !== settings.keyBytes) return 0
  return Math.max(0, current.createdMs + settings.keyTtlMs - nowMs)
}
