import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pemProblem } from './pem-problem.ts'
import { tlsFailureText } from './tls-failure.ts'

// Messages of Node 24.
const table: readonly (readonly [message: string, fields: object, expected: RegExp])[] = [
  [
    'unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
    { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    /^the certificate of its authority is not among the trusted ones$/,
  ],
  // mysql2 replaces the code.
  [
    'unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
    { code: 'HANDSHAKE_SSL_ERROR' },
    /^unable to verify the first certificate$/,
  ],
  [
    '0060E8D4:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/ssl/record/methods/tlsany_meth.c:84:\n',
    { code: 'EPROTO' },
    /^the port does not use TLS$/,
  ],
  ['error:1C800064:Provider routines::bad decrypt', { code: 'ERR_OSSL_BAD_DECRYPT' }, /^bad decrypt$/],
  [
    "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames: DNS:b",
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: 'a', cert: { subject: { CN: 'c' }, subjectaltname: 'DNS:b' } },
    /^the certificate does not match a: it is for DNS:b$/,
  ],
  [
    "Hostname/IP does not match certificate's altnames: IP: 1.2.3.4 is not in the cert's list: ",
    { host: '1.2.3.4', cert: { subject: { CN: 'c' } } },
    /^the certificate does not match 1\.2\.3\.4: it is for common name c$/,
  ],
  ['', { host: 'a', cert: { subjectaltname: 'DNS:b, '.repeat(1000) } }, /^.{200,260}…$/],
]

test('the reason of a failed connection has no text of OpenSSL’s source or of Node’s options', () => {
  for (const [message, fields, expected] of table) {
    assert.match(tlsFailureText(Object.assign(new Error(message), fields)), expected)
  }
})

test('a store of certificates that OpenSSL would ignore is a problem', () => {
  assert.match(pemProblem('') ?? '', /no certificate as PEM/)
  assert.match(pemProblem('-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----') ?? '', /1 of 1 is damaged/)
})
