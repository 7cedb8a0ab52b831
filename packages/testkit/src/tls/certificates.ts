import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../process/run-program.ts'
import { temporaryFolder, type TemporaryFolder } from '../process/temporary-folder.ts'

/** The certificate of a server or client. */
export interface CertificateRequest {
  readonly commonName: string
  /** The subject alternative names, as OpenSSL writes them: `DNS:localhost,IP:127.0.0.1`. Default: none. */
  readonly names?: string
  /** Default: `ca`. `stranger` is another authority, `intermediate` one that `ca` has signed, `self` none. */
  readonly authority?: 'ca' | 'stranger' | 'intermediate' | 'self'
  /** Default: yesterday. */
  readonly begins?: string
  /** As the program `date` understands it. Default: `2 days`. */
  readonly ends?: string
  /** Default: any. `clientAuth` is for clients only. */
  readonly usage?: 'serverAuth' | 'clientAuth'
}

/** Files of a certificate, PEM. */
export interface CertificateFiles {
  /** With the certificate of an intermediate authority after it. */
  readonly cert: string
  readonly key: string
  /** Key and certificate in one file, as Kafka reads them. */
  readonly both: string
}

const CONFIGURATION = `[ca]
default_ca = c
[c]
database = index.txt
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = p
unique_subject = no
[p]
commonName = supplied
`
const AUTHORITY = 'basicConstraints=critical,CA:TRUE'
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Makes authorities and certificates with OpenSSL, in a temporary folder. */
export class Certificates implements AsyncDisposable {
  readonly #folder: TemporaryFolder = temporaryFolder('certificates')
  #count = 0

  private constructor() {
    writeFileSync(this.#path('index.txt'), '')
    writeFileSync(this.#path('ca.cnf'), CONFIGURATION)
  }

  static async create(): Promise<Certificates> {
    const certificates = new Certificates()
    for (const name of ['ca', 'stranger']) {
      const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`]
      const subject = ['-subj', `/CN=tributary test ${name}`, '-days', '4']
      await certificates.openssl('req', '-x509', ...KEY, ...files, ...subject, '-addext', AUTHORITY)
    }
    const { cert, key } = await certificates.#sign('intermediate', { commonName: 'intermediate' }, AUTHORITY)
    writeFileSync(certificates.#path('intermediate.pem'), readFileSync(cert))
    writeFileSync(certificates.#path('intermediate.key'), readFileSync(key))
    return certificates
  }

  get folder(): string {
    return this.#folder.path
  }

  /** The file with the certificate of an authority. */
  authority(name: 'ca' | 'stranger'): string {
    return this.#path(`${name}.pem`)
  }

  /** Makes a certificate with a key of its own. */
  make(request: CertificateRequest): Promise<CertificateFiles> {
    const { names, usage } = request
    const extensions = [
      ...(names === undefined ? [] : [`subjectAltName=${names}`]),
      ...(usage === undefined ? [] : [`extendedKeyUsage=${usage}`]),
    ]
    return this.#sign(`c${this.#count++}`, request, extensions.join('\n'))
  }

  /** Runs OpenSSL in the folder. */
  async openssl(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram('openssl', args, { cwd: this.folder })
    if (code !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  async #sign(name: string, request: CertificateRequest, extensions: string): Promise<CertificateFiles> {
    const { commonName, authority = 'ca', begins = '1 day ago', ends = '2 days' } = request
    const files = { cert: this.#path(`${name}.crt`), key: this.#path(`${name}.key`), both: this.#path(`${name}.pem`) }
    await this.openssl('req', ...KEY, '-keyout', files.key, '-out', `${name}.csr`, '-subj', `/CN=${commonName}`)
    writeFileSync(this.#path(`${name}.ext`), extensions)
    const signer =
      authority === 'self'
        ? ['-selfsign', '-keyfile', files.key]
        : ['-cert', `${authority}.pem`, '-keyfile', `${authority}.key`]
    const times = ['-startdate', await timeOf(begins), '-enddate', await timeOf(ends)]
    const paths = ['-in', `${name}.csr`, '-out', files.cert, '-extfile', `${name}.ext`]
    await this.openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', ...signer, ...times, ...paths)
    if (authority === 'intermediate') {
      writeFileSync(files.cert, readFileSync(files.cert, 'utf8') + readFileSync(this.#path('intermediate.pem'), 'utf8'))
    }
    writeFileSync(files.both, readFileSync(files.key, 'utf8') + readFileSync(files.cert, 'utf8'))
    return files
  }

  #path(name: string): string {
    return join(this.folder, name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]()
  }
}

async function timeOf(text: string): Promise<string> {
  return (await runProgram('date', ['-u', '-d', text, '+%Y%m%d%H%M%SZ'])).stdout.trim()
}

/** Certificates of servers, each with one peculiarity. The expected verdict on each is another program's. */
export const serverCertificates: Readonly<Record<string, CertificateRequest>> = {
  'the name': { commonName: 'server', names: 'DNS:localhost' },
  'the addresses': { commonName: 'server', names: 'IP:127.0.0.1,IP:::1' },
  'name and addresses': { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1,IP:::1' },
  'another address': { commonName: 'server', names: 'IP:10.0.0.7' },
  'another address, the name as common name': { commonName: 'localhost', names: 'IP:10.0.0.7' },
  'another name': { commonName: 'localhost', names: 'DNS:db.example.com' },
  'the address as a name': { commonName: 'server', names: 'DNS:127.0.0.1' },
  'the name as common name': { commonName: 'localhost' },
  'the address as common name': { commonName: '127.0.0.1' },
  'the name in capitals': { commonName: 'server', names: 'DNS:LOCALHOST' },
  'a name that begins with it': { commonName: 'server', names: 'DNS:localhost.example.com' },
  'any name': { commonName: 'server', names: 'DNS:*' },
  'a part of the name': { commonName: 'server', names: 'DNS:local*' },
  expired: {
    commonName: 'server',
    names: 'DNS:localhost,IP:127.0.0.1,IP:::1',
    begins: '3 days ago',
    ends: '1 day ago',
  },
  'not yet valid': {
    commonName: 'server',
    names: 'DNS:localhost,IP:127.0.0.1,IP:::1',
    begins: '1 day',
    ends: '3 days',
  },
  'another authority': { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1,IP:::1', authority: 'stranger' },
  'an intermediate authority': {
    commonName: 'server',
    names: 'DNS:localhost,IP:127.0.0.1,IP:::1',
    authority: 'intermediate',
  },
  'signed by itself': { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1,IP:::1', authority: 'self' },
  'for servers': { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1,IP:::1', usage: 'serverAuth' },
  'for clients': { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1,IP:::1', usage: 'clientAuth' },
}
