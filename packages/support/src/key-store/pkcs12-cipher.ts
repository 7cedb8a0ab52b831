import { createDecipheriv, createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import type { DerReader } from './der-reader.ts'
import { damaged, KeyStoreError } from './key-store-error.ts'
import { decryptRc2Cbc } from './rc2.ts'

/**
 * The iterations of all key derivations of one store together: a derivation blocks the thread. Programs write 2,048 to
 * 600,000; this takes up to two seconds.
 */
const ITERATIONS_MAX = 1_500_000

/** Counts the iterations that a store costs, and refuses one that would block the thread. */
export class IterationBudget {
  #left = ITERATIONS_MAX

  take(iterations: number): void {
    this.#left -= iterations
    if (this.#left >= 0 && iterations > 0) return
    throw new KeyStoreError(`it asks for more than ${ITERATIONS_MAX} iterations to derive keys`)
  }
}

/** What the derived bytes are for (RFC 7292, B.3). */
const PURPOSE = { key: 1, iv: 2, mac: 3 } as const

const HASHES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
const HMACS: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}
/** Ciphers of PBES2. */
const CIPHERS: Readonly<Record<string, { readonly name: string; readonly keyBytes: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyBytes: 24 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyBytes: 32 },
  '1.2.840.113549.3.7': { name: 'des-ede3-cbc', keyBytes: 24 },
}
/** Ciphers of PKCS#12's own scheme, which derives keys with SHA-1. */
const OLD_CIPHERS: Readonly<Record<string, { readonly name: string; readonly keyBytes: number }>> = {
  '1.2.840.113549.1.12.1.3': { name: 'des-ede3-cbc', keyBytes: 24 },
  '1.2.840.113549.1.12.1.4': { name: 'des-ede-cbc', keyBytes: 16 },
  '1.2.840.113549.1.12.1.5': { name: 'rc2', keyBytes: 16 },
  '1.2.840.113549.1.12.1.6': { name: 'rc2', keyBytes: 5 },
}
const PBES2 = '1.2.840.113549.1.5.13'
const PBKDF2 = '1.2.840.113549.1.5.12'
const BLOCK_BYTES_OLD = 8

/** Decrypts with an AlgorithmIdentifier. Null when the password is wrong. Throws KeyStoreError. */
export function decrypt(
  algorithm: DerReader,
  encrypted: Buffer,
  password: string,
  budget: IterationBudget,
): Buffer | null {
  const [oid, parameters] = algorithm.sequence()
  if (oid === undefined || parameters === undefined) throw damaged('an algorithm has no parameters')
  const name = oid.oid()
  if (name === PBES2) return decryptPbes2(parameters, encrypted, password, budget)
  const cipher = OLD_CIPHERS[name]
  if (cipher === undefined) throw unsupported('cipher', name)
  const [salt, iterations] = parameters.sequence()
  if (salt === undefined || iterations === undefined) throw damaged('an algorithm has no salt')
  const derivation = { hash: 'sha1', password, salt: salt.octets(), iterations: iterations.number(), budget }
  const key = derive(derivation, PURPOSE.key, cipher.keyBytes)
  const iv = derive(derivation, PURPOSE.iv, BLOCK_BYTES_OLD)
  if (cipher.name === 'rc2') return withoutPadding(decryptRc2Cbc(key, iv, encrypted))
  return decipher(cipher.name, { key, iv, encrypted })
}

function decryptPbes2(
  parameters: DerReader,
  encrypted: Buffer,
  password: string,
  budget: IterationBudget,
): Buffer | null {
  const [derivation, scheme] = parameters.sequence()
  const [kdf, kdfParameters] = derivation?.sequence() ?? []
  const [cipherOid, iv] = scheme?.sequence() ?? []
  if (kdf === undefined || kdfParameters === undefined || cipherOid === undefined || iv === undefined) {
    throw damaged('an algorithm has no parameters')
  }
  if (kdf.oid() !== PBKDF2) throw unsupported('key derivation', kdf.oid())
  const cipher = CIPHERS[cipherOid.oid()]
  if (cipher === undefined) throw unsupported('cipher', cipherOid.oid())
  const [salt, iterations, ...optional] = kdfParameters.sequence()
  if (salt === undefined || iterations === undefined) throw damaged('an algorithm has no salt')
  // The length of the key, which the cipher determines, is an INTEGER; the pseudorandom function a SEQUENCE.
  const prf = optional
    .find(({ tag }) => tag === 0x30)
    ?.sequence()[0]
    ?.oid()
  const hash = prf === undefined ? 'sha1' : HMACS[prf]
  if (hash === undefined) throw unsupported('pseudorandom function', prf ?? '')
  budget.take(iterations.number())
  const key = pbkdf2Sync(password, salt.octets(), iterations.number(), cipher.keyBytes, hash)
  return decipher(cipher.name, { key, iv: iv.octets(), encrypted })
}

function decipher(
  name: string,
  { key, iv, encrypted }: { readonly key: Buffer; readonly iv: Buffer; readonly encrypted: Buffer },
): Buffer | null {
  try {
    const cipher = createDecipheriv(name, key, iv)
    return Buffer.concat([cipher.update(encrypted), cipher.final()])
  } catch {
    // The padding is wrong after a decryption with the wrong key, and any other error is one of the same parameters.
    return null
  }
}

function withoutPadding(plain: Buffer): Buffer | null {
  const length = plain.at(-1) ?? 0
  const padding = plain.subarray(-length)
  const isPadding = length >= 1 && length <= BLOCK_BYTES_OLD && padding.every((byte) => byte === length)
  return isPadding ? plain.subarray(0, -length) : null
}

/** The sum that protects a store: its hash, salt and iterations, of the password. Throws KeyStoreError. */
export function macOf(content: Buffer, macData: DerReader, password: string, budget: IterationBudget): Buffer {
  const [digestInfo, salt, iterations] = macData.sequence()
  const oid = digestInfo?.sequence()[0]?.sequence()[0]?.oid() ?? ''
  const hash = HASHES[oid]
  if (hash === undefined) throw unsupported('sum', oid)
  if (salt === undefined) throw damaged('its sum has no salt')
  const derivation = { hash, password, salt: salt.octets(), iterations: iterations?.number() ?? 1, budget }
  const key = derive(derivation, PURPOSE.mac, createHash(hash).digest().length)
  return createHmac(hash, key).update(content).digest()
}

interface Derivation {
  readonly hash: string
  readonly password: string
  readonly salt: Buffer
  readonly iterations: number
  readonly budget: IterationBudget
}

/** RFC 7292, appendix B.2. */
function derive({ hash, password, salt, iterations, budget }: Derivation, purpose: number, bytes: number): Buffer {
  const digestBytes = createHash(hash).digest().length
  const blockBytes = digestBytes > 32 ? 128 : 64
  // UTF-16, big-endian, with a terminating zero.
  const secret = Buffer.from(`${password}\0`, 'utf16le').swap16()
  const input = Buffer.concat([repeated(salt, blockBytes), repeated(secret, blockBytes)])
  const diversifier = Buffer.alloc(blockBytes, purpose)
  const output: Buffer[] = []
  for (let length = 0; length < bytes; length += digestBytes) {
    budget.take(iterations)
    let sum = createHash(hash).update(diversifier).update(input).digest()
    for (let i = 1; i < iterations; i += 1) sum = createHash(hash).update(sum).digest()
    output.push(sum)
    const addend = repeated(sum, blockBytes).subarray(0, blockBytes)
    for (let at = 0; at < input.length; at += blockBytes) addPlusOne(input.subarray(at, at + blockBytes), addend)
  }
  return Buffer.concat(output).subarray(0, bytes)
}

/** As often as needed to fill whole blocks. */
function repeated(bytes: Buffer, blockBytes: number): Buffer {
  return Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes, bytes)
}

/** Adds a number and one to a number of the same length, big-endian, without the carry out of it. */
function addPlusOne(number: Buffer, addend: Buffer): void {
  let carry = 1
  for (let i = number.length - 1; i >= 0; i -= 1) {
    carry += (number[i] ?? 0) + (addend[i] ?? 0)
    number[i] = carry & 255
    carry >>= 8
  }
}

function unsupported(what: string, oid: string): KeyStoreError {
  return new KeyStoreError(
    `its ${what} ${oid} is not supported; keytool -importkeystore -deststoretype PKCS12 converts it`,
  )
}
