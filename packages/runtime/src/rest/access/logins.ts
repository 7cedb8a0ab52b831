import { createHash, timingSafeEqual } from 'node:crypto'

/** `read-only`: requests that change nothing, and configurations without their passwords. */
export type Role = 'full' | 'read-only'

export interface User {
  readonly name: string
  readonly role: Role
}

export interface LoginsOptions {
  /** Passwords by user. */
  readonly passwords: ReadonlyMap<string, string>
  /** Tokens by name. */
  readonly tokens: ReadonlyMap<string, string>
  readonly readOnlyUsers: ReadonlySet<string>
}

/** Authorization headers of ordinary users are shorter; a longer one is not hashed. */
const HEADER_LENGTH_MAX = 4_096

/** The users who may use the REST interface. It keeps digests, so that a heap snapshot contains no password. */
export class Logins {
  readonly #passwords: ReadonlyMap<string, Buffer>
  readonly #tokens: readonly (readonly [name: string, digest: Buffer])[]
  readonly #readOnlyUsers: ReadonlySet<string>

  constructor({ passwords, tokens, readOnlyUsers }: LoginsOptions) {
    this.#passwords = new Map([...passwords].map(([name, password]) => [name, digestOf(password)]))
    this.#tokens = [...tokens].map(([name, token]) => [name, digestOf(token)])
    this.#readOnlyUsers = readOnlyUsers
  }

  /** The schemes in which a client can log in, for the header WWW-Authenticate. */
  get challenges(): readonly string[] {
    return [
      ...(this.#passwords.size > 0 ? ['Basic realm="Tributary", charset="UTF-8"'] : []),
      ...(this.#tokens.length > 0 ? ['Bearer realm="Tributary"'] : []),
    ]
  }

  /** The user that an Authorization header proves; null when it proves none. */
  identify(header: string | undefined): User | null {
    if (header === undefined || header.length > HEADER_LENGTH_MAX) return null
    const [, scheme = '', credentials = ''] = /^([A-Za-z]+) +([\w.~+/=-]+)$/.exec(header.trim()) ?? []
    const name = scheme.toLowerCase() === 'basic' ? this.#basic(credentials) : this.#bearer(scheme, credentials)
    return name === null ? null : { name, role: this.#readOnlyUsers.has(name) ? 'read-only' : 'full' }
  }

  #basic(credentials: string): string | null {
    const text = Buffer.from(credentials, 'base64').toString('utf8')
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(colon, 0))
    // An unknown name takes as long as a wrong password.
    const known = this.#passwords.get(name)
    const isRight = timingSafeEqual(digestOf(text.slice(colon + 1)), known ?? NO_DIGEST)
    return isRight && known !== undefined && colon >= 0 ? name : null
  }

  #bearer(scheme: string, token: string): string | null {
    if (scheme.toLowerCase() !== 'bearer') return null
    const digest = digestOf(token)
    let found: string | null = null
    for (const [name, each] of this.#tokens) if (timingSafeEqual(digest, each)) found = name
    return found
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

const NO_DIGEST = Buffer.alloc(32)
