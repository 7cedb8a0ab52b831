import { hash } from 'node:crypto'

/** A mutable pair of 32-bit numbers: one object serves all rows. */
export interface Hash64 {
  low: number
  high: number
}

/**
 * The first 64 bits of SHA-256, which both servers compute: `LEFT(SHA2(…, 256), 16)`. (MySQL 9.6 and later have no MD5
 * without a component.)
 */
export function hashText(text: string, into: Hash64): void {
  readDigits(hash('sha256', text), into)
}

/** Reads the digits of a hash. */
export function readDigits(digits: string, into: Hash64): void {
  into.low = Number.parseInt(digits.slice(0, 8), 16)
  into.high = Number.parseInt(digits.slice(8, 16), 16)
}

export function hashDigits(text: string): string {
  return hash('sha256', text)
}
