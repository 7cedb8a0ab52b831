import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'

/** The users of a broker: name → password. */
export type Users = Readonly<Record<string, string>>

export type Mechanism = 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'

export const MECHANISMS: readonly Mechanism[] = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']

/** What a server derives of a password (RFC 5802). */
export interface ScramCredential {
  readonly salt: Buffer
  readonly iterations: number
  readonly storedKey: Buffer
  readonly serverKey: Buffer
}

/** Kafka's lowest number, which is also its default. */
const ITERATIONS = 4096
const SALT_BYTES = 16

/** Checks passwords. Credentials of SCRAM are derived at the first use. */
export class Logins {
  readonly #users: ReadonlyMap<string, string>
  readonly #credentials = new Map<string, ScramCredential>()

  constructor(users: Users) {
    this.#users = new Map(Object.entries(users))
  }

  isPassword(user: string, password: string): boolean {
    const expected = this.#users.get(user)
    return expected !== undefined && isEqual(digest(expected), digest(password))
  }

  /** undefined: there is no such user. */
  credential(user: string, hash: 'sha256' | 'sha512'): ScramCredential | undefined {
    const password = this.#users.get(user)
    if (password === undefined) return undefined
    const key = `${hash} ${user}`
    const credential = this.#credentials.get(key) ?? derive(password, hash)
    this.#credentials.set(key, credential)
    return credential
  }
}

function derive(password: string, hash: 'sha256' | 'sha512'): ScramCredential {
  const salt = randomBytes(SALT_BYTES)
  const bytes = hash === 'sha256' ? 32 : 64
  const salted = pbkdf2Sync(password, salt, ITERATIONS, bytes, hash)
  const clientKey = createHmac(hash, salted).update('Client Key').digest()
  const storedKey = createHash(hash).update(clientKey).digest()
  const serverKey = createHmac(hash, salted).update('Server Key').digest()
  return { salt, iterations: ITERATIONS, storedKey, serverKey }
}

/** Buffers of any lengths, in a time that does not depend on where they differ. */
export function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
