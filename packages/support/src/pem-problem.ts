import { X509Certificate } from 'node:crypto'
import { toError } from './errors.ts'
import { tlsFailureText } from './tls-failure.ts'

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

/**
 * Why a store of trusted certificates (PEM) cannot be used; null when it can. OpenSSL ignores what it cannot read, so that
 * a store of another format would look like one that trusts nobody.
 */
export function pemProblem(pem: string): string | null {
  const certificates = pem.match(CERTIFICATE) ?? []
  if (certificates.length === 0) {
    return 'it contains no certificate as PEM (if it is a Java key store or PKCS12: keytool -exportcert -rfc, or openssl pkcs12, convert it)'
  }
  for (const [i, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (error) {
      return `its certificate ${i + 1} of ${certificates.length} is damaged (${tlsFailureText(toError(error))})`
    }
  }
  return null
}
