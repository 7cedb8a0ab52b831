import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createServer, type SecureContextOptions, type SecureVersion, type Server } from 'node:tls'
import { freePort } from '../network/free-port.ts'
import type { CertificateFiles } from './certificates.ts'

export interface TlsFrontOptions {
  /** The server on 127.0.0.1 to which the decrypted bytes go. */
  readonly targetPort: number
  /** Default: 1.2 and 1.3. */
  readonly versions?: readonly [least: SecureVersion, most: SecureVersion]
}

/** `localhost` is in the first list of every machine; ::1 only where there is IPv6. */
const HAS_IPV6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))

/** The hosts under which a front can be reached, by name and by address. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', ...(HAS_IPV6 ? ['::1'] : [])]

/** A server with TLS in front of one without, on one port of all loopback addresses. Its certificate can be changed. */
export class TlsFront implements AsyncDisposable {
  readonly port: number
  readonly #servers: readonly Server[]
  readonly #versions: SecureContextOptions = {}
  readonly #sockets = new Set<Socket>()

  private constructor(port: number, { targetPort, versions }: TlsFrontOptions) {
    this.port = port
    // OpenSSL allows the versions before 1.2 only at its security level 0.
    if (versions !== undefined) {
      this.#versions = { minVersion: versions[0], maxVersion: versions[1], ciphers: 'ALL:@SECLEVEL=0' }
    }
    this.#servers = (HAS_IPV6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']).map((host) =>
      createServer((client) => this.#forward(client, targetPort))
        .on('tlsClientError', () => undefined)
        .listen(port, host),
    )
  }

  static async start(options: TlsFrontOptions): Promise<TlsFront> {
    const front = new TlsFront(await freePort(), options)
    for (const server of front.#servers) if (!server.listening) await once(server, 'listening')
    return front
  }

  /** Connections from now on see this certificate. */
  use({ cert, key }: CertificateFiles): void {
    const context = { ...this.#versions, cert: readFileSync(cert), key: readFileSync(key) }
    for (const server of this.#servers) server.setSecureContext(context)
  }

  #forward(client: Socket, port: number): void {
    const target = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
      socket.pipe(other)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#servers.map((server) => new Promise((done) => server.close(done))))
  }
}
