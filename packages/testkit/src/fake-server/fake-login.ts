import { constants, privateDecrypt } from 'node:crypto'
import type { Greeting } from './greeting.ts'
import { errorPayload, OK } from './packets.ts'

/** Keys of a server: PEM texts. */
export interface ServerKeys {
  readonly key: string
  readonly certificate: string
  /** SubjectPublicKeyInfo of the key, which caching_sha2_password sends on request. */
  readonly publicKey: string
}

/** How the user logs in, after the first credentials. */
export type LoginScript =
  | { readonly tag: 'accept' }
  /** caching_sha2_password knows the password already. */
  | { readonly tag: 'sha2Fast' }
  /** caching_sha2_password wants the password itself, encrypted by TLS or with the public key. */
  | { readonly tag: 'sha2Full'; readonly password: string }
  | { readonly tag: 'switch'; readonly plugin: string; readonly data: Buffer }
  | { readonly tag: 'refuse'; readonly errno: number; readonly message: string }

export interface LoginExchange {
  /** Sends the next packet of the login; false when the connection is over. */
  readonly send: (payload: Buffer) => Promise<boolean>
  readonly next: () => Promise<Buffer | null>
  readonly isEncrypted: boolean
  readonly keys: ServerKeys | null
  readonly greeting: Greeting
}

/** The exchange after the client's first credentials; true when the user is logged in. */
export async function runLogin(script: LoginScript, exchange: LoginExchange): Promise<boolean> {
  switch (script.tag) {
    case 'accept':
      return exchange.send(OK)
    case 'sha2Fast':
      return (await exchange.send(FAST)) && exchange.send(OK)
    case 'sha2Full':
      return runFull(script.password, exchange)
    case 'switch': {
      const request = Buffer.concat([Buffer.from([0xfe]), Buffer.from(`${script.plugin}\0`), script.data])
      if (!(await exchange.send(request)) || (await exchange.next()) === null) return false
      return exchange.send(OK)
    }
    case 'refuse':
      await exchange.send(errorPayload(script.errno, script.message, '28000'))
      return false
  }
}

async function runFull(password: string, { send, next, isEncrypted, keys }: LoginExchange): Promise<boolean> {
  if (!(await send(FULL))) return false
  const answer = await next()
  if (answer === null) return false
  if (isEncrypted) return send(answer.equals(Buffer.from(`${password}\0`)) ? OK : DENIED)
  if (!answer.equals(KEY_REQUEST) || keys === null) return send(DENIED)
  if (!(await send(Buffer.concat([Buffer.from([1]), Buffer.from(keys.publicKey)])))) return false
  const encrypted = await next()
  if (encrypted === null) return false
  const text = privateDecrypt({ key: keys.key, oaepHash: 'sha1', padding: constants.RSA_PKCS1_OAEP_PADDING }, encrypted)
  return send(text.length === password.length + 1 ? OK : DENIED)
}

const FAST = Buffer.from([1, 3])
const FULL = Buffer.from([1, 4])
const KEY_REQUEST = Buffer.from([2])
const DENIED = errorPayload(1045, "Access denied for user 'u'@'localhost' (using password: YES)", '28000')
