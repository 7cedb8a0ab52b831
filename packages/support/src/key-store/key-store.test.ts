/** Stores that keytool and OpenSSL wrote (fixtures/key-store/README.md), beside the PEM files with the same content. */
import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fullTest } from '@tributary/testkit'
import { KeyStoreError } from './key-store-error.ts'
import { keyPairOf, trustedCertificates } from './key-store.ts'

const fixture = (name: string): Buffer => readFileSync(new URL(`../../fixtures/key-store/${name}`, import.meta.url))
const password = (value: string | null): { value: string | null; property: string } => ({
  value,
  property: 'the.password',
})
const keyPassword = (value: string | null): { value: string | null; property: string } => ({
  value,
  property: 'the.key',
})

const fingerprint = (pem: string | Buffer): string => new X509Certificate(pem).fingerprint256
const fingerprints = (pem: string): string[] =>
  (pem.match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g) ?? []).map(fingerprint)
const ca = fingerprint(fixture('ca.pem'))

test('the trusted certificates of stores are read, as Java trusts them', () => {
  const table: readonly (readonly [file: string, password: string | null, expected: readonly string[]])[] = [
    ['trust.jks', 'changeit', [ca, fingerprint(fixture('rsa.crt'))]],
    // Java checks nothing without a password.
    ['trust.jks', null, [ca, fingerprint(fixture('rsa.crt'))]],
    ['trust.p12', 'changeit', [ca]],
    ['trust-legacy.p12', 'changeit', [ca]],
    ['trust-open.p12', null, [ca]],
    ['trust-open.p12', 'changeit', [ca]],
    // The first certificate of a key, not those of its authorities.
    ['both.jks', 'changeit', [fingerprint(fixture('client.crt')), fingerprint(fixture('rsa.crt'))].toSorted()],
    ['client.p12', 'changeit', [fingerprint(fixture('client.crt'))]],
  ]
  for (const [file, value, expected] of table) {
    const found = fingerprints(trustedCertificates(fixture(file), password(value)))
    assert.deepEqual(found.toSorted(), expected.toSorted(), file)
  }
})

test('private key and certificates are read, with each cipher', () => {
  const table: readonly (readonly [file: string, keyPassword: string | null, expected: string])[] = [
    ['client.p12', null, 'client'],
    ['client.p12', 'changeit', 'client'],
    ['rsa.p12', null, 'rsa'],
    ['client-legacy.p12', null, 'client'],
    ['client-rc2-128.p12', null, 'client'],
    ['client-aes.p12', null, 'client'],
    ['client-java.p12', null, 'rsa'],
    ['client.jks', 'another-one', 'client'],
  ]
  for (const [file, value, expected] of table) {
    const { key, cert } = keyPairOf(fixture(file), password('changeit'), keyPassword(value))
    assert.ok(createPrivateKey(key).equals(createPrivateKey(fixture(`${expected}.key`))), file)
    assert.deepEqual(fingerprints(cert), [fingerprint(fixture(`${expected}.crt`)), ca], file)
  }
})

test('an unusable store is an error that names the reason and the property', () => {
  const trust = (file: string | Buffer, value: string | null) => (): string =>
    trustedCertificates(typeof file === 'string' ? fixture(file) : file, password(value))
  const key = (file: string, value: string | null, keyValue: string | null) => (): unknown =>
    keyPairOf(fixture(file), password(value), keyPassword(keyValue))
  const wrong = /^its password is wrong, or the file is damaged: check the\.password$/
  const wrongKey = /^the password of its private key is wrong, or the key is damaged: check the\.key$/
  const table: readonly (readonly [read: () => unknown, message: RegExp])[] = [
    [trust('trust.jks', 'wrong'), wrong],
    [trust('trust.p12', 'wrong'), wrong],
    [trust('trust-legacy.p12', 'wrong'), wrong],
    [trust('trust.p12', null), /^it is encrypted, and no password is set: check the\.password$/],
    [trust('trust.jceks', 'changeit'), /JCEKS.*keytool -importkeystore -deststoretype PKCS12/],
    [trust('unmarked.p12', 'changeit'), /no trusted certificate.*keytool -importcert/],
    [trust('ca.pem', 'changeit'), /PEM file; set its type to PEM/],
    [trust(Buffer.from('text'), null), /neither a JKS nor a PKCS12 store/],
    [trust(Buffer.alloc(0), null), /neither a JKS nor a PKCS12 store/],
    [key('client.jks', 'changeit', 'wrong'), wrongKey],
    [key('client.jks', 'changeit', null), /private key is wrong.*check the\.password$/],
    [key('client.p12', 'changeit', 'wrong'), wrongKey],
    [key('trust.jks', 'changeit', null), /no private key/],
    [key('trust.p12', 'changeit', null), /no private key/],
    [key('both.jks', 'changeit', null), /2 private keys \((client, rsa|rsa, client)\)/],
    [key('client-rc4.p12', 'changeit', null), /cipher 1\.2\.840\.113549\.1\.12\.1\.1 is not supported/],
  ]
  for (const [read, message] of table) assert.throws(read, isAbout(message), String(message))
})

fullTest('a store with a changed byte or a missing end is read the same or is an error, never something else', () => {
  for (const file of ['trust.jks', 'trust.p12', 'trust-legacy.p12', 'trust-open.p12', 'client.jks', 'client.p12']) {
    const store = fixture(file)
    for (let at = 0; at < store.length; at += STEPS[file] ?? 1) {
      const changed = Buffer.from(store)
      changed[at] = (changed[at] ?? 0) ^ 0x41
      for (const hostile of [changed, store.subarray(0, at)]) {
        for (const value of ['changeit', null]) {
          try {
            const pem = trustedCertificates(hostile, password(value))
            // Without a sum nothing protects the content: then only the form is checked.
            const isProtected = value !== null && file !== 'trust-open.p12'
            if (isProtected)
              assert.deepEqual(fingerprints(pem), fingerprints(trustedCertificates(store, password(value))))
          } catch (thrown) {
            assert.ok(thrown instanceof KeyStoreError, `${file} ${at}: ${String(thrown)}`)
          }
        }
      }
    }
  }
})

test('a store that would take long is refused', () => {
  // The iterations of the sum, 10000, are the last number of a store of Java: 02 02 27 10.
  const store = fixture('trust.p12')
  assert.equal(store.subarray(-4).toString('hex'), '02022710')
  const hostile = withLongerSum(store)
  assert.throws(() => trustedCertificates(hostile, password('changeit')), isAbout(/more than 1500000 iterations/))
})

test('indefinite lengths and strings in parts, which other programs write, are read', () => {
  const store = fixture('trust-open.p12')
  // 30 82 LL LL | 02 01 03 | 30 82 LL LL | 06 09 … | a0 82 LL LL | 04 82 LL LL …
  const content = store.subarray(4 + 3 + 4 + 11 + 4 + 4)
  const end = Buffer.from([0, 0])
  const half = content.length >> 1
  const parts = [content.subarray(0, half), content.subarray(half)].map(octets)
  const rewritten = Buffer.concat([
    Buffer.from('3080', 'hex'),
    store.subarray(4, 7),
    Buffer.from('3080', 'hex'),
    store.subarray(11, 22),
    Buffer.from('a0802480', 'hex'),
    ...parts,
    ...Array.from({ length: 4 }, () => end),
  ])
  assert.deepEqual(fingerprints(trustedCertificates(rewritten, password(null))), [ca])
})

/** Stores whose keys take 10,000 iterations are tried at fewer places. */
const STEPS: Readonly<Record<string, number>> = { 'trust.p12': 53, 'trust-legacy.p12': 53, 'client.p12': 53 }

function octets(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x04, 0x82, bytes.length >> 8, bytes.length & 255]), bytes])
}

/** With 16777215 iterations: two more bytes, so that the lengths of the enclosing values grow, too. */
function withLongerSum(store: Buffer): Buffer {
  const longer = Buffer.concat([store.subarray(0, -4), Buffer.from('0204' + '00ffffff', 'hex')])
  longer.writeUInt16BE(longer.readUInt16BE(2) + 2, 2)
  const macData = store.length - 4 - macLength(store)
  longer[macData + 1] = (longer[macData + 1] ?? 0) + 2
  return longer
}

/** The bytes of the sum's SEQUENCE before the iterations. Its header is 30 LL. */
function macLength(store: Buffer): number {
  for (let at = store.length - 6; at > 0; at -= 1) {
    if (store[at] === 0x30 && store[at + 1] === store.length - at - 2) return store.length - 4 - at
  }
  throw new Error('the store has no sum')
}

function isAbout(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof KeyStoreError && message.test(error.message)
}
