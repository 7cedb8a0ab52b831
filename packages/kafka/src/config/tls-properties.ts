import { readFileSync } from 'node:fs'
import { pemProblem, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { TlsOptions } from '../api/kafka.ts'
import type { PropertyReader } from './property-reader.ts'

const PEM_INSTEAD =
  'Convert it (keytool -exportcert -rfc, or openssl pkcs12) and set the type to PEM, with the file in the location.'

/** Reads ssl.*: PEM stores in files, which it reads at once, or in the settings. */
export function tlsOptions(reader: PropertyReader): TlsOptions {
  refuseUnsupported(reader)
  const ca = truststore(reader)
  const keystore = keystoreOf(reader)
  const algorithm = reader.choice('ssl.endpoint.identification.algorithm', ['https', 'HTTPS', ''], 'https')
  return {
    checkHostName: algorithm !== '',
    ...(ca !== undefined && { ca }),
    ...keystore,
  }
}

function refuseUnsupported(reader: PropertyReader): void {
  const reason = 'Tributary reads PEM stores only'
  for (const store of ['ssl.truststore', 'ssl.keystore']) {
    const type = reader.text(`${store}.type`)
    const isUsed = ['location', 'certificates', 'key'].some((part) => reader.text(`${store}.${part}`) !== undefined)
    // Java's default type is JKS.
    if (isUsed && type !== 'PEM') {
      const value = type ?? '(JKS by default)'
      throw kafkaErrors.SETTING_UNSUPPORTED({ name: `${store}.type`, value, reason, instead: PEM_INSTEAD })
    }
  }
  for (const name of ['ssl.cipher.suites', 'ssl.provider', 'ssl.engine.factory.class', 'ssl.trustmanager.algorithm']) {
    reader.refuse(name, { unless: ['PKIX'], reason: 'Tributary uses the TLS of OpenSSL', instead: 'Remove it.' })
  }
  const versions = { reason: 'Tributary offers TLS 1.2 and 1.3, and the broker chooses', instead: 'Remove it.' }
  reader.refuse('ssl.enabled.protocols', {
    unless: ['TLSv1.2,TLSv1.3', 'TLSv1.3,TLSv1.2', 'TLSv1.2, TLSv1.3'],
    ...versions,
  })
  reader.refuse('ssl.protocol', { unless: ['TLSv1.2', 'TLSv1.3', 'TLS'], ...versions })
}

function truststore(reader: PropertyReader): string | undefined {
  const certificates = reader.text('ssl.truststore.certificates')
  if (certificates !== undefined) return trusted('ssl.truststore.certificates', '(PEM)', certificates)
  const name = 'ssl.truststore.location'
  const file = fileOf(reader, name)
  return file === undefined ? undefined : trusted(name, reader.text(name) ?? '', file)
}

function trusted(name: string, value: string, pem: string): string {
  const reason = pemProblem(pem)
  if (reason !== null) throw kafkaErrors.SETTING_INVALID({ name, value, reason })
  return pem
}

function keystoreOf(reader: PropertyReader): Pick<TlsOptions, 'cert' | 'key' | 'passphrase'> {
  const passphrase = reader.text('ssl.key.password')
  const file = fileOf(reader, 'ssl.keystore.location')
  // A PEM keystore file contains the private key and the certificate chain.
  const key = reader.text('ssl.keystore.key') ?? file
  const cert = reader.text('ssl.keystore.certificate.chain') ?? file
  if (key === undefined && cert === undefined) return {}
  if (key === undefined) {
    throw kafkaErrors.SETTING_MISSING({ name: 'ssl.keystore.key', why: ', which ssl.keystore.certificate.chain needs' })
  }
  if (cert === undefined) {
    throw kafkaErrors.SETTING_MISSING({ name: 'ssl.keystore.certificate.chain', why: ', which ssl.keystore.key needs' })
  }
  return { key, cert, ...(passphrase !== undefined && { passphrase }) }
}

function fileOf(reader: PropertyReader, name: string): string | undefined {
  const path = reader.text(name)
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw kafkaErrors.SETTING_INVALID({ name, value: path, reason: toError(thrown).message }, thrown)
  }
}
