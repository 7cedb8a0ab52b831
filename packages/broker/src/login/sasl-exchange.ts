import { createHash, createHmac, randomBytes } from 'node:crypto'
import { isEqual, type Logins, type Mechanism, type ScramCredential } from './logins.ts'

/** The answer to a message of a client: go on, the client is the user, or it is refused. */
export type SaslStep =
  | { readonly tag: 'continue'; readonly bytes: Buffer }
  | { readonly tag: 'done'; readonly bytes: Buffer }
  | { readonly tag: 'refused'; readonly reason: string }

/** The server's side of a login; `step` is called with each message of the client. */
export interface SaslExchange {
  step(message: Buffer): SaslStep
}

export function startExchange(mechanism: Mechanism, logins: Logins): SaslExchange {
  switch (mechanism) {
    case 'PLAIN':
      return { step: (message) => plain(message, logins) }
    case 'SCRAM-SHA-256':
      return new ScramExchange('sha256', logins)
    case 'SCRAM-SHA-512':
      return new ScramExchange('sha512', logins)
  }
}

const NONE = Buffer.alloc(0)
const REFUSED: SaslStep = { tag: 'refused', reason: 'Authentication failed: Invalid username or password' }

/** RFC 4616: `[authorisation id] NUL user NUL password`. */
function plain(message: Buffer, logins: Logins): SaslStep {
  const [authorisation = '', user = '', password = '', ...rest] = message.toString('utf8').split('\0')
  const isOther = authorisation !== '' && authorisation !== user
  if (rest.length > 0 || isOther || !logins.isPassword(user, password)) return REFUSED
  return { tag: 'done', bytes: NONE }
}

interface ScramState {
  readonly credential: ScramCredential
  readonly nonce: string
  /** The first messages of both sides, which the proofs sign. */
  readonly signed: string
}

/**
 * RFC 5802 and 7677, without channel binding:
 *
 *     client: n,,n=user,r=nonce          server: r=nonce…,s=salt,i=iterations
 *     client: c=biws,r=nonce…,p=proof    server: v=signature
 */
class ScramExchange implements SaslExchange {
  readonly #hash: 'sha256' | 'sha512'
  readonly #logins: Logins
  #state: ScramState | null = null

  constructor(hash: 'sha256' | 'sha512', logins: Logins) {
    this.#hash = hash
    this.#logins = logins
  }

  step(message: Buffer): SaslStep {
    const text = message.toString('utf8')
    return this.#state === null ? this.#first(text) : this.#final(text, this.#state)
  }

  #first(text: string): SaslStep {
    const match = /^n,(?:a=[^,]*)?,(n=([^,]*),r=([^,]+)(?:,.*)?)$/s.exec(text)
    if (match === null) return { tag: 'refused', reason: 'The first SCRAM message of the client is not valid.' }
    const [, bare = '', name = '', clientNonce = ''] = match
    const user = name.replaceAll('=2C', ',').replaceAll('=3D', '=')
    const credential = this.#logins.credential(user, this.#hash)
    if (credential === undefined) return REFUSED
    const nonce = `${clientNonce}${randomBytes(18).toString('base64')}`
    const answer = `r=${nonce},s=${credential.salt.toString('base64')},i=${credential.iterations}`
    this.#state = { credential, nonce, signed: `${bare},${answer}` }
    return { tag: 'continue', bytes: Buffer.from(answer) }
  }

  #final(text: string, { credential, nonce, signed }: ScramState): SaslStep {
    const match = /^(c=([^,]*),r=([^,]*)(?:,[^p][^,]*)*),p=([^,]*)$/s.exec(text)
    if (match === null) return { tag: 'refused', reason: 'The last SCRAM message of the client is not valid.' }
    const [, withoutProof = '', , repeated = '', proofText = ''] = match
    const message = `${signed},${withoutProof}`
    const proof = Buffer.from(proofText, 'base64')
    const signature = this.#hmac(credential.storedKey, message)
    if (repeated !== nonce || proof.length !== signature.length) return REFUSED
    const clientKey = Buffer.from(proof.map((byte, i) => byte ^ (signature[i] ?? 0)))
    if (!isEqual(createHash(this.#hash).update(clientKey).digest(), credential.storedKey)) return REFUSED
    return { tag: 'done', bytes: Buffer.from(`v=${this.#hmac(credential.serverKey, message).toString('base64')}`) }
  }

  #hmac(key: Buffer, text: string): Buffer {
    return createHmac(this.#hash, key).update(text).digest()
  }
}
