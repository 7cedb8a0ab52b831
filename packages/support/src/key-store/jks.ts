import { createHash, timingSafeEqual } from 'node:crypto'
import { DerReader } from './der-reader.ts'
import { damaged, KeyStoreError, noPassword, wrongKeyPassword, wrongPassword } from './key-store-error.ts'
import type { KeyEntry, StoreContent } from './store-content.ts'

/*
 * magic FEEDFEED, version 1 or 2, number of entries (4 bytes each, big-endian), entries, SHA-1 of password and content
 *
 * entry:        tag (4) alias (UTF) creation time (8) and
 *   1, key:     length (4) EncryptedPrivateKeyInfo, number of certificates (4), certificates
 *   2, trusted: certificate
 * certificate:  type (UTF, version 2 only) length (4) DER
 * UTF:          length in bytes (2) modified UTF-8
 */
const TAG_KEY = 1
const TAG_TRUSTED = 2
const DIGEST_BYTES = 20
/** Between password and content in the digest. Part of the format. */
const WHITENER = Buffer.from('Mighty Aphrodite')
/** The algorithm with which JKS protects its keys. */
const KEY_PROTECTOR = '1.3.6.1.4.1.42.2.17.1.1'

/**
 * Reads a Java key store of type JKS. Without a password it does not check whether the file was changed, as Java does.
 * Throws KeyStoreError.
 */
export function readJks(store: Buffer, password: string | null): StoreContent {
  if (password !== null) checkDigest(store, password)
  const cursor = new Cursor(store.subarray(0, -DIGEST_BYTES))
  cursor.uint32()
  const version = cursor.uint32()
  if (version !== 1 && version !== 2) throw damaged(`unknown version ${version}`)
  const count = cursor.uint32()
  const trusted: Buffer[] = []
  const keys: KeyEntry[] = []
  // Each entry takes bytes of the file, so that a wrong count ends at its end.
  for (let i = 0; i < count; i += 1) {
    const tag = cursor.uint32()
    const alias = cursor.utf()
    cursor.skip(8)
    if (tag === TAG_TRUSTED) trusted.push(certificate(cursor, version))
    else if (tag === TAG_KEY) keys.push(keyEntry(cursor, version, alias))
    else throw damaged(`entry ${i + 1} has unknown tag ${tag}`)
  }
  return { trusted, keys }
}

function checkDigest(store: Buffer, password: string): void {
  if (store.length < DIGEST_BYTES) throw damaged('it is too short')
  const digest = sha1(passwordBytes(password), WHITENER, store.subarray(0, -DIGEST_BYTES))
  if (!timingSafeEqual(digest, store.subarray(-DIGEST_BYTES))) throw wrongPassword()
}

function certificate(cursor: Cursor, version: number): Buffer {
  const type = version === 2 ? cursor.utf() : 'X.509'
  if (type !== 'X.509') throw new KeyStoreError(`it contains a certificate of type ${type}`)
  return cursor.bytes(cursor.uint32())
}

function keyEntry(cursor: Cursor, version: number, alias: string): KeyEntry {
  const encrypted = cursor.bytes(cursor.uint32())
  const count = cursor.uint32()
  const chain: Buffer[] = []
  for (let i = 0; i < count; i += 1) chain.push(certificate(cursor, version))
  return { alias, chain, privateKey: (password) => decryptKey(encrypted, password) }
}

/** Salt, the key XOR a chain of SHA-1 values that begins with salt and password, and a SHA-1 of password and key. */
function decryptKey(info: Buffer, password: string | null): Buffer {
  if (password === null) throw noPassword()
  const [algorithm, content] = new DerReader(info).sequence()
  const [oid] = algorithm?.sequence() ?? []
  if (oid?.oid() !== KEY_PROTECTOR) throw damaged('its key has another protection than that of JKS')
  const data = content?.octets() ?? Buffer.alloc(0)
  if (data.length < 2 * DIGEST_BYTES) throw damaged('its key is too short')
  const secret = passwordBytes(password)
  const key = Buffer.from(data.subarray(DIGEST_BYTES, -DIGEST_BYTES))
  let stream = data.subarray(0, DIGEST_BYTES)
  for (let i = 0; i < key.length; i += 1) {
    if (i % DIGEST_BYTES === 0) stream = sha1(secret, stream)
    key[i] = (key[i] ?? 0) ^ (stream[i % DIGEST_BYTES] ?? 0)
  }
  if (!timingSafeEqual(sha1(secret, key), data.subarray(-DIGEST_BYTES))) throw wrongKeyPassword()
  return key
}

function sha1(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** UTF-16, big-endian. */
function passwordBytes(password: string): Buffer {
  return Buffer.from(password, 'utf16le').swap16()
}

/** Reads from the beginning; throws KeyStoreError at the end. */
class Cursor {
  readonly #buffer: Buffer
  #position = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  bytes(length: number): Buffer {
    if (length > this.#buffer.length - this.#position) throw damaged('it ends within an entry')
    const start = this.#position
    this.#position += length
    return this.#buffer.subarray(start, this.#position)
  }

  skip(length: number): void {
    this.bytes(length)
  }

  uint32(): number {
    return this.bytes(4).readUInt32BE(0)
  }

  utf(): string {
    return this.bytes(this.bytes(2).readUInt16BE(0)).toString('utf8')
  }
}
