/** The codes of OpenSSL for a chain of certificates that ends at none of the trusted ones. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const OUT_OF_TIME: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])

/** What to do after a TLS handshake with a broker that failed with this error of Node. */
export function tlsRemedy(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (OUT_OF_TIME.has(code)) {
    return 'Renew the certificate of the broker (its ssl.keystore.*), or correct the clock of this machine.'
  }
  if (UNTRUSTED.has(code)) {
    return "Add the certificate of the broker's authority to the trust store: ssl.truststore.location, or ssl.truststore.certificates."
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'Use a name of the certificate in bootstrap.servers and in advertised.listeners of the broker; an empty ssl.endpoint.identification.algorithm ends the comparison.'
  }
  // The broker's verdict on this client.
  if (
    /alert (bad certificate|certificate (expired|unknown|revoked|required)|unsupported certificate|unknown ca)/i.test(
      error.message,
    )
  ) {
    return 'Check ssl.keystore.*: the broker demands a certificate of this client that has not expired and that an authority of its trust store has signed.'
  }
  return 'Check ssl.truststore.*, ssl.keystore.* and ssl.endpoint.identification.algorithm, and that the listener uses TLS.'
}
