import { kafkaErrors } from '../api/errors.ts'
import type { TlsOptions } from '../api/tls-options.ts'
import { keystoreOf, truststoreOf } from './key-stores.ts'
import { PropertyReader, type Properties } from './property-reader.ts'

/** `ssl.*` of a Java client or server, for callers outside of this package. Throws as `kafkaOptionsFromProperties`. */
export function tlsOptionsFromProperties(properties: Properties): TlsOptions {
  return tlsOptions(new PropertyReader(properties))
}

/** Reads ssl.*: stores of type PEM, PKCS12 and JKS in files, which it reads at once, and PEM in the settings. */
export function tlsOptions(reader: PropertyReader): TlsOptions {
  refuseUnsupported(reader)
  const ca = truststoreOf(reader)
  const keystore = keystoreOf(reader)
  const algorithm = reader.choice('ssl.endpoint.identification.algorithm', ['https', 'HTTPS', ''], 'https')
  return {
    checkHostName: algorithm !== '',
    ...(ca !== undefined && { ca }),
    ...keystore,
    ...enabledVersions(reader),
  }
}

function refuseUnsupported(reader: PropertyReader): void {
  for (const name of ['ssl.cipher.suites', 'ssl.provider', 'ssl.engine.factory.class', 'ssl.trustmanager.algorithm']) {
    reader.refuse(name, { unless: ['PKIX'], reason: 'Tributary uses the TLS of OpenSSL', instead: 'Remove it.' })
  }
  const versions = { reason: 'Tributary offers TLS 1.2 and 1.3, and the broker chooses', instead: 'Remove it.' }
  reader.refuse('ssl.protocol', { unless: ['TLSv1.2', 'TLSv1.3', 'TLS'], ...versions })
}

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

/** `ssl.enabled.protocols`. Older versions than TLS 1.2 have no effect, as in Java, which disables them. */
function enabledVersions(reader: PropertyReader): Pick<TlsOptions, 'minVersion' | 'maxVersion'> {
  const name = 'ssl.enabled.protocols'
  const value = reader.text(name)
  if (value === undefined || value === '') return {}
  const listed = value.split(',').map((version) => version.trim())
  const [minVersion, maxVersion = minVersion] = VERSIONS.filter((version) => listed.includes(version))
  if (minVersion !== undefined && maxVersion !== undefined) return { minVersion, maxVersion }
  const reason = 'Tributary offers TLS 1.2 and 1.3'
  throw kafkaErrors.SETTING_UNSUPPORTED({ name, value, reason, instead: 'Add TLSv1.2 or TLSv1.3, or remove it.' })
}
