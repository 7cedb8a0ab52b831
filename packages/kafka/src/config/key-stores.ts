import {
  type KeyPair,
  keyPairOf,
  KeyStoreError,
  normalizedPem,
  pemProblem,
  readStoreFile,
  toError,
  trustedCertificates,
} from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { TlsOptions } from '../api/tls-options.ts'
import type { PropertyReader } from './property-reader.ts'

type StoreType = 'PEM' | 'JKS' | 'PKCS12'

/** The certificates of ssl.truststore.* as PEM; undefined when none is set. */
export function truststoreOf(reader: PropertyReader): string | undefined {
  const inline = reader.text('ssl.truststore.certificates')
  if (inline !== undefined) {
    requirePemType(reader, 'ssl.truststore', 'certificates')
    return trusted('ssl.truststore.certificates', '(PEM)', inline)
  }
  const name = 'ssl.truststore.location'
  const file = fileOf(reader, name)
  if (file === undefined) return undefined
  const path = reader.text(name) ?? ''
  if (typeOf(reader, 'ssl.truststore') === 'PEM') return trusted(name, path, pemText(file, name, path))
  return fromStore(name, path, () => trustedCertificates(file, passwordOf(reader, 'ssl.truststore.password')))
}

/** Key and certificates of ssl.keystore.* as PEM; empty when none is set. */
export function keystoreOf(reader: PropertyReader): Pick<TlsOptions, 'cert' | 'key' | 'passphrase'> {
  const [inlineKey, inlineChain] = ['key', 'certificate.chain'].map((part) => reader.text(`ssl.keystore.${part}`))
  if (inlineKey !== undefined || inlineChain !== undefined) {
    requirePemType(reader, 'ssl.keystore', inlineKey === undefined ? 'certificate.chain' : 'key')
  }
  const name = 'ssl.keystore.location'
  const file = fileOf(reader, name)
  const path = reader.text(name) ?? ''
  if (file !== undefined && typeOf(reader, 'ssl.keystore') !== 'PEM') return pairFromStore(reader, file, path)
  // A PEM keystore file contains the private key and the certificate chain.
  const both = file === undefined ? undefined : pemText(file, name, path)
  const key = inlineKey ?? both
  const cert = inlineChain ?? both
  if (key === undefined && cert === undefined) return {}
  if (key === undefined) {
    throw kafkaErrors.SETTING_MISSING({ name: 'ssl.keystore.key', why: ', which ssl.keystore.certificate.chain needs' })
  }
  if (cert === undefined) {
    throw kafkaErrors.SETTING_MISSING({ name: 'ssl.keystore.certificate.chain', why: ', which ssl.keystore.key needs' })
  }
  const passphrase = reader.text('ssl.key.password')
  return {
    key: normalizedPem(key),
    cert: normalizedPem(cert),
    ...(passphrase !== undefined && { passphrase }),
  }
}

function pairFromStore(reader: PropertyReader, file: Buffer, path: string): KeyPair {
  const password = passwordOf(reader, 'ssl.keystore.password')
  return fromStore('ssl.keystore.location', path, () =>
    keyPairOf(file, password, passwordOf(reader, 'ssl.key.password')),
  )
}

function passwordOf(
  reader: PropertyReader,
  property: string,
): { readonly value: string | null; readonly property: string } {
  return { value: reader.text(property) ?? null, property }
}

function fromStore<T>(name: string, value: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (!(thrown instanceof KeyStoreError)) throw thrown
    throw kafkaErrors.SETTING_INVALID({ name, value, reason: thrown.message }, thrown)
  }
}

/** Java's default is JKS. */
function typeOf(reader: PropertyReader, store: string): StoreType {
  const type = reader.text(`${store}.type`)
  switch (type?.toUpperCase()) {
    case undefined:
    case '':
    case 'JKS':
      return 'JKS'
    case 'PKCS12':
      return 'PKCS12'
    case 'PEM':
      return 'PEM'
    default: {
      const reason = 'Tributary reads stores of type PEM, PKCS12 and JKS'
      const instead = 'Convert it: keytool -importkeystore -deststoretype PKCS12.'
      throw kafkaErrors.SETTING_UNSUPPORTED({ name: `${store}.type`, value: type ?? '', reason, instead })
    }
  }
}

function requirePemType(reader: PropertyReader, store: string, part: string): void {
  if (typeOf(reader, store) === 'PEM') return
  throw kafkaErrors.SETTING_INVALID({
    name: `${store}.type`,
    value: reader.text(`${store}.type`) ?? '(JKS by default)',
    reason: `${store}.${part} is PEM, so the type must be PEM`,
  })
}

function trusted(name: string, value: string, text: string): string {
  const pem = normalizedPem(text)
  const reason = pemProblem(pem)
  if (reason !== null) throw kafkaErrors.SETTING_INVALID({ name, value, reason })
  return pem
}

/** The first bytes of the stores that are not text. */
const BINARY_STORES: readonly (readonly [magic: number, type: StoreType])[] = [
  [0xfe, 'JKS'],
  [0x30, 'PKCS12'],
]

function pemText(file: Buffer, name: string, path: string): string {
  const [, type] = BINARY_STORES.find(([magic]) => magic === file[0]) ?? []
  if (type === undefined) return file.toString('utf8')
  const property = name.replace('location', 'type')
  const reason = `it is a ${type} store, and ${property} is PEM: set ${property} to ${type}`
  throw kafkaErrors.SETTING_INVALID({ name, value: path, reason })
}

function fileOf(reader: PropertyReader, name: string): Buffer | undefined {
  const path = reader.text(name)
  if (path === undefined || path === '') return undefined
  try {
    return readStoreFile(path)
  } catch (thrown) {
    throw kafkaErrors.SETTING_INVALID({ name, value: path, reason: toError(thrown).message }, thrown)
  }
}
