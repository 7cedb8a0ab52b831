import { X509Certificate } from 'node:crypto'
import { toError } from '../errors.ts'
import { readJks } from './jks.ts'
import { pemOf } from './pem.ts'
import { readPkcs12 } from './pkcs12.ts'
import { KeyStoreError } from './key-store-error.ts'
import type { StoreContent } from './store-content.ts'

/** The password of a store, with the property that sets it, for messages. */
export interface StorePassword {
  readonly value: string | null
  readonly property: string
}

/** Certificates and key in PEM form, for OpenSSL. */
export interface KeyPair {
  readonly key: string
  /** The certificate of the key, followed by those of its authorities. */
  readonly cert: string
}

const JKS_MAGIC = 0xfe_ed_fe_ed
const JCEKS_MAGIC = 0xce_ce_ce_ce
/** The tag of a SEQUENCE: PKCS#12 begins with one. */
const SEQUENCE = 0x30

/**
 * Returns the certificates that a Java key store trusts, as PEM. As in Java these are the ones that it marks as trusted,
 * and the first of each key. Throws KeyStoreError.
 */
export function trustedCertificates(store: Buffer, password: StorePassword): string {
  const { trusted, keys } = readStore(store, password)
  const all = [...trusted, ...keys.flatMap(({ chain }) => chain.slice(0, 1))]
  if (all.length === 0) {
    throw new KeyStoreError(
      'it contains no trusted certificate (keytool -importcert -noprompt adds one; openssl pkcs12 without -jdktrust marks none as trusted)',
    )
  }
  return all.map(certificatePem).join('')
}

/** Returns the private key of a Java key store with its certificates, as PEM. Throws KeyStoreError. */
export function keyPairOf(store: Buffer, password: StorePassword, keyPassword: StorePassword): KeyPair {
  const { keys } = readStore(store, password)
  const [entry, another] = keys
  if (entry === undefined) {
    throw new KeyStoreError('it contains no private key (keytool -list shows no PrivateKeyEntry)')
  }
  if (another !== undefined) {
    const aliases = keys.map(({ alias }) => alias).join(', ')
    throw new KeyStoreError(`it contains ${keys.length} private keys (${aliases}); keep one, with keytool -delete`)
  }
  if (entry.chain.length === 0) throw new KeyStoreError(`its private key ${entry.alias} has no certificate`)
  const chosen = keyPassword.value === null ? password : keyPassword
  const key = inPlace(chosen.property, () => entry.privateKey(chosen.value))
  return { key: pemOf('PRIVATE KEY', key), cert: entry.chain.map(certificatePem).join('') }
}

/** Java reads PKCS#12 as JKS and the other way round, so the content decides, not the name of the type. */
function readStore(store: Buffer, { value, property }: StorePassword): StoreContent {
  const magic = store.length < 4 ? 0 : store.readUInt32BE(0)
  if (magic === JCEKS_MAGIC) {
    throw new KeyStoreError('it is a JCEKS store; keytool -importkeystore -deststoretype PKCS12 converts it')
  }
  if (magic !== JKS_MAGIC && store[0] !== SEQUENCE) {
    const isPem = store.includes('-----BEGIN')
    throw new KeyStoreError(
      isPem ? 'it is a PEM file; set its type to PEM' : 'it is neither a JKS nor a PKCS12 store, or it is damaged',
    )
  }
  return inPlace(property, () => (magic === JKS_MAGIC ? readJks(store, value) : readPkcs12(store, value)))
}

/** Adds the property of the password to the errors that another password may fix. */
function inPlace<T>(property: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (!(thrown instanceof KeyStoreError) || !thrown.isAboutPassword) throw thrown
    throw new KeyStoreError(`${thrown.message}: check ${property}`)
  }
}

function certificatePem(der: Buffer): string {
  try {
    return new X509Certificate(der).toString()
  } catch (thrown) {
    throw new KeyStoreError(`one of its certificates is damaged (${toError(thrown).message})`)
  }
}
