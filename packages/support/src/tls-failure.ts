/** OpenSSL's reasons in terms of what a user can change. Node takes the codes from `X509_V_ERR_…`. */
const BY_CODE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the self-signed certificate is not among the trusted ones',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of its authority is not among the trusted ones',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate of its authority is not among the trusted ones',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of its authority is not among the trusted ones',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of its authority is not among the trusted ones',
  INVALID_PURPOSE: 'the certificate is not for servers (extended key usage)',
}

/** By OpenSSL's own text. */
const BY_REASON: Readonly<Record<string, string>> = {
  'wrong version number': 'the port does not use TLS',
  'packet length too long': 'the port does not use TLS',
  'tlsv1 alert protocol version': 'the server supports neither TLS 1.2 nor TLS 1.3',
  'unsupported protocol': 'the server supports neither TLS 1.2 nor TLS 1.3',
}

/** A certificate's list of names can have thousands; this is enough to recognize it. */
const NAMES_LENGTH_MAX = 200

/**
 * The reason of a failed TLS connection, from the error of Node. Node's own messages contain numbers and places in the
 * source of OpenSSL, and advice about options of Node.
 */
export function tlsFailureText(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if ('cert' in error && 'host' in error) return mismatchText(String(error.host), error.cert)
  const reason = opensslReason(error)
  if (reason !== null) return BY_REASON[reason] ?? reason
  return error.message.replace(/; if the root CA is installed locally.*$/s, '')
}

/** OpenSSL's short text, without its places in the source: error:1C800064:Provider routines::bad decrypt[:file:line:] */
function opensslReason(error: Error): string | null {
  if ('reason' in error && typeof error.reason === 'string' && error.reason !== '') return error.reason
  return /error:[\dA-F]{8}:[^:]*:[^:]*:([^:\n]+)/.exec(error.message)?.[1] ?? null
}

function mismatchText(host: string, certificate: unknown): string {
  const { subject, subjectaltname: names } = certificate as {
    readonly subject?: { readonly CN?: unknown }
    readonly subjectaltname?: unknown
  }
  const commonName = typeof subject?.CN === 'string' ? subject.CN : '(none)'
  const found = typeof names === 'string' && names !== '' ? names : `common name ${commonName}`
  const shown = found.length > NAMES_LENGTH_MAX ? `${found.slice(0, NAMES_LENGTH_MAX)}…` : found
  return `the certificate does not match ${host}: it is for ${shown}`
}
