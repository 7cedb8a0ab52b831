import tls, { createSecureContext, rootCertificates } from 'node:tls'
import { tlsFailureText, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { TlsOptions } from '../api/tls-options.ts'
import type { TlsClient } from './socket.ts'

/** Reads certificates and key. Throws SETTING_INVALID when OpenSSL cannot use them. */
export function tlsClient(options: TlsOptions): TlsClient {
  const { ca, cert, key, passphrase, checkHostName = true, minVersion, maxVersion } = options
  try {
    const context = createSecureContext({
      ca: ca ?? defaultAuthorities(),
      // As in Java, each certificate of the trust store is trusted, also one that another authority has signed.
      allowPartialTrustChain: ca !== undefined,
      minVersion,
      maxVersion,
      cert,
      key,
      passphrase,
    })
    return { context, checkHostName }
  } catch (thrown) {
    const reason = `OpenSSL cannot use its key or certificate (${tlsFailureText(toError(thrown))}; ${passwordNote(options)})`
    throw kafkaErrors.SETTING_INVALID({ name: 'ssl.keystore.*', value: '(PEM)', reason }, thrown)
  }
}

/** The certificates bundled with Node and those of the system, which Node reads since 22.15. */
function defaultAuthorities(): string[] {
  const { getCACertificates } = tls as { readonly getCACertificates?: typeof tls.getCACertificates }
  if (getCACertificates === undefined) return [...rootCertificates]
  return [...getCACertificates('bundled'), ...getCACertificates('system')]
}

function passwordNote({ passphrase }: TlsOptions): string {
  return passphrase === undefined ? 'ssl.key.password is not set' : 'ssl.key.password is set'
}
