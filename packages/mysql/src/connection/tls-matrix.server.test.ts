/** Which certificates each TLS mode accepts, by the names in them, their authority and their time. */
import { CodedError } from '@tributary/support'
import { type Database, eventually, startMySql, temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loginOf } from '../testing/live-binlog.ts'
import type { TlsMode } from './connection-options.ts'
import { MySqlConnection } from './mysql-connection.ts'

interface Certificate {
  readonly commonName: string
  readonly names?: string
  readonly isExpired?: true
  readonly isOfStranger?: true
  /** The hosts that it is for. */
  readonly hosts: readonly string[]
}

const NAME = 'localhost'
const ADDRESS = '127.0.0.1'

const CERTIFICATES: Readonly<Record<string, Certificate>> = {
  'the name': { commonName: 'server', names: 'DNS:localhost', hosts: [NAME] },
  'the address': { commonName: 'server', names: 'IP:127.0.0.1', hosts: [ADDRESS] },
  'name and address': { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1', hosts: [NAME, ADDRESS] },
  'another address': { commonName: 'server', names: 'IP:10.0.0.7', hosts: [] },
  // RFC 6125: the common name counts when the certificate has no DNS name.
  'another address, the name as common name': { commonName: 'localhost', names: 'IP:10.0.0.7', hosts: [NAME] },
  'another name': { commonName: 'localhost', names: 'DNS:db.example.com', hosts: [] },
  'the address as a name': { commonName: 'server', names: 'DNS:127.0.0.1', hosts: [] },
  'the name as common name': { commonName: 'localhost', hosts: [NAME] },
  'the address as common name': { commonName: '127.0.0.1', hosts: [] },
  expired: { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1', isExpired: true, hosts: [] },
  'another authority': { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1', isOfStranger: true, hosts: [] },
}

const MODES: readonly TlsMode[] = ['disabled', 'preferred', 'required', 'verify_ca', 'verify_identity']

function openssl(folder: string, ...args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
}

function makeAuthority(folder: string, name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-days', '2']
  openssl(
    folder,
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.pem`,
    ...subject,
  )
}

function makeCertificate(folder: string, { commonName, names, isExpired, isOfStranger }: Certificate): void {
  const authority = authorityOf(isOfStranger)
  const request = ['-newkey', 'rsa:2048', '-nodes', '-keyout', 'server.key', '-out', 'server.csr']
  openssl(folder, 'req', ...request, '-subj', `/CN=${commonName}`)
  writeFileSync(join(folder, 'names'), names === undefined ? '' : `subjectAltName=${names}`)
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(
    join(folder, 'ca.cnf'),
    '[ca]\ndefault_ca=c\n[c]\ndatabase=index.txt\nrand_serial=yes\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n',
  )
  const end = execFileSync('date', ['-u', '-d', isExpired === true ? '3 seconds' : '2 days', '+%Y%m%d%H%M%SZ'])
  const signer = [
    '-cert',
    `${authority}.pem`,
    '-keyfile',
    `${authority}.key`,
    '-extfile',
    'names',
    '-enddate',
    String(end).trim(),
  ]
  openssl(folder, 'ca', '-batch', '-config', 'ca.cnf', '-in', 'server.csr', '-out', 'server.pem', '-notext', ...signer)
}

function authorityOf(isOfStranger: true | undefined): string {
  return isOfStranger === true ? 'stranger' : 'ca'
}

/** The server loads no expired certificate, but keeps one that expires. */
function expiry(folder: string): Promise<boolean> {
  return eventually('the certificate has expired', () => {
    try {
      openssl(folder, 'x509', '-in', 'server.pem', '-noout', '-checkend', '0')
      return false
    } catch {
      return true
    }
  })
}

async function useCertificate(server: Database, folder: string, authority: string): Promise<void> {
  await server.query(`SET GLOBAL ssl_cert = '${join(folder, 'server.pem')}'; SET GLOBAL ssl_key = '${join(folder, 'server.key')}';
    SET GLOBAL ssl_ca = '${join(folder, `${authority}.pem`)}'; ALTER INSTANCE RELOAD TLS`)
}

interface Attempt {
  readonly host: string
  readonly mode: TlsMode
  readonly ca: string | null
}

/** `plain`, `encrypted`, or the code of the error. */
async function attempt(server: Database, { host, mode, ca }: Attempt): Promise<string> {
  const tls = { mode, ...(ca === null ? {} : { ca }) }
  try {
    await using connection = await MySqlConnection.open({ ...loginOf(server), host, tls })
    const [row] = await connection.query("SHOW STATUS LIKE 'Ssl_cipher'")
    return row?.[1] === '' ? 'plain' : 'encrypted'
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error))
    assert.match(error.message, /certificate|altnames|self-signed|unable to/i)
    return error.code
  }
}

function expected({ hosts, isExpired, isOfStranger }: Certificate, { host, mode, ca }: Attempt): string {
  switch (mode) {
    case 'disabled':
      return 'plain'
    case 'preferred':
    case 'required':
      return 'encrypted'
    case 'verify_ca':
      return ca !== null && isExpired !== true && isOfStranger !== true ? 'encrypted' : 'MYSQL_TLS_FAILED'
    case 'verify_identity':
      return ca !== null && hosts.includes(host) ? 'encrypted' : 'MYSQL_TLS_FAILED'
  }
}

test('each TLS mode accepts exactly the certificates that it should, by name and by address', async () => {
  await using folder = temporaryFolder('tls')
  await using server = await startMySql({})
  makeAuthority(folder.path, 'ca')
  makeAuthority(folder.path, 'stranger')
  const authority = readFileSync(join(folder.path, 'ca.pem'), 'utf8')
  let attempts = 0
  for (const [name, certificate] of Object.entries(CERTIFICATES)) {
    makeCertificate(folder.path, certificate)
    await useCertificate(server, folder.path, authorityOf(certificate.isOfStranger))
    if (certificate.isExpired === true) await expiry(folder.path)
    for (const host of [NAME, ADDRESS]) {
      for (const mode of MODES) {
        for (const ca of [authority, null]) {
          const tried = { host, mode, ca }
          const title = `${name}; ${host}, ${mode}, ${ca === null ? 'no authority' : 'authority'}`
          assert.equal(await attempt(server, tried), expected(certificate, tried), title)
          attempts += 1
        }
      }
    }
  }
  assert.equal(attempts, 220)
})
