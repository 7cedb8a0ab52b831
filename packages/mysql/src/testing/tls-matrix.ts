/** Which certificates each TLS mode accepts, compared with the verdict of OpenSSL's own client. */
import { CodedError } from '@tributary/support'
import {
  type CertificateFiles,
  type CertificateRequest,
  Certificates,
  type Database,
  eventually,
  opensslAccepts,
  serverCertificates,
  startMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { loginOf } from './live-binlog.ts'
import type { TlsMode } from '../connection/connection-options.ts'
import { MySqlConnection } from '../connection/mysql-connection.ts'

const MODES: readonly TlsMode[] = ['disabled', 'preferred', 'required', 'verify_ca', 'verify_identity']
/** The server of the test listens on IPv4 only. */
const HOSTS = ['localhost', '127.0.0.1']

/** Texts of libraries that no user should read. */
const INTERNAL = /routines|deps\/openssl|\.cc?:|error:[0-9A-F]{8}|Node\.js/

/** The server loads no expired certificate, but keeps one that expires. It loads none that is not valid yet. */
function loadable(name: string, request: CertificateRequest): CertificateRequest | null {
  if (name === 'not yet valid') return null
  return name === 'expired' ? { ...request, ends: '4 seconds' } : request
}

/** Each look starts a program. */
const EVERY_HALF_SECOND = { everyMs: 500 }

/** Waits until a certificate has expired that does so soon. */
async function expiry(certificates: Certificates, { cert }: CertificateFiles): Promise<void> {
  await eventually(
    'the certificate has expired',
    async () => {
      try {
        await certificates.openssl('x509', '-in', cert, '-noout', '-checkend', '0')
        return false
      } catch {
        return true
      }
    },
    EVERY_HALF_SECOND,
  )
}

async function useCertificate(server: Database, { cert, key }: CertificateFiles, authority: string): Promise<void> {
  await server.query(`SET GLOBAL ssl_cert = '${cert}'; SET GLOBAL ssl_key = '${key}'; SET GLOBAL ssl_ca = '${authority}';
    ALTER INSTANCE RELOAD TLS`)
}

/** The server also verifies its own certificate, with the authorities of this file alone. */
function authorityOf(
  certificates: Certificates,
  { authority }: CertificateRequest,
  { cert }: CertificateFiles,
): string {
  if (authority === 'self') return cert
  if (authority !== 'intermediate') return certificates.authority(authority ?? 'ca')
  const both = `${cert}.authorities`
  writeFileSync(both, readFileSync(certificates.authority('ca'), 'utf8') + readFileSync(cert, 'utf8'))
  return both
}

interface Attempt {
  readonly host: string
  readonly mode: TlsMode
  /** The file with the trusted authority. */
  readonly authority: string | null
}

/** `plain`, `encrypted`, or the code of the error. */
async function attempt(server: Database, { host, mode, authority }: Attempt): Promise<string> {
  const tls = { mode, ...(authority === null ? {} : { ca: readFileSync(authority, 'utf8') }) }
  try {
    await using connection = await MySqlConnection.open({ ...loginOf(server), host, tls })
    const [row] = await connection.query("SHOW STATUS LIKE 'Ssl_cipher'")
    return row?.[1] === '' ? 'plain' : 'encrypted'
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error))
    assert.match(error.message, /certificate/i)
    assert.doesNotMatch(error.message, INTERNAL)
    return error.code
  }
}

/** What the mode demands, with OpenSSL's verdict on the certificate. */
async function expected({ port }: Database, { host, mode, authority }: Attempt): Promise<string> {
  if (mode === 'disabled') return 'plain'
  if (mode === 'preferred' || mode === 'required') return 'encrypted'
  const isHostChecked = mode === 'verify_identity'
  const isAccepted = await opensslAccepts({ host, port, authority, isHostChecked, startsWith: 'mysql' })
  return isAccepted ? 'encrypted' : 'MYSQL_TLS_FAILED'
}

/** The attempts of a part: `quick` verifies the name of each certificate, and has every sixth of the other attempts. */
export function testTlsMatrix(part: 'quick' | 'rest'): void {
  test('each TLS mode accepts exactly the certificates that it should, by name and by address', async () => {
    await using certificates = await Certificates.create()
    await using server = await startMySql({})
    const ca = certificates.authority('ca')
    const attempts = HOSTS.flatMap((host) =>
      MODES.flatMap((mode) => [ca, null].map((authority) => ({ host, mode, authority }))),
    )
    const differences: string[] = []
    const verdicts: string[] = []
    let number = 0
    for (const [name, usual] of Object.entries(serverCertificates)) {
      const request = loadable(name, usual)
      if (request === null) continue
      const files = await certificates.make(request)
      await useCertificate(server, files, authorityOf(certificates, request, files))
      if (name === 'expired') await expiry(certificates, files)
      for (const tried of attempts) {
        const verifiesName = tried.mode === 'verify_identity' && tried.authority !== null
        const isQuick = verifiesName || number % 6 === 0
        number += 1
        if (isQuick !== (part === 'quick')) continue
        const [found, verdict] = [await attempt(server, tried), await expected(server, tried)]
        if (found !== verdict) differences.push(`${name}; ${JSON.stringify(tried)}: ${found}, not ${verdict}`)
        verdicts.push(verdict)
      }
    }
    assert.deepEqual(differences, [])
    assert.equal(number, (Object.keys(serverCertificates).length - 1) * HOSTS.length * MODES.length * 2)
    assert.ok(verdicts.length > number / 5)
    // The judge works: it accepts and refuses.
    assert.deepEqual([...new Set(verdicts)].toSorted(), ['MYSQL_TLS_FAILED', 'encrypted', 'plain'])
  })
}
