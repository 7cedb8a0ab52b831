import { createServer, type Server, type ServerOptions } from 'node:https'
import type { RequestListener } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { ListenerTls } from './listener-tls.ts'

const HANDSHAKE_TIMEOUT_MS = 15_000

/** A server for HTTPS. In a file of its own, because loading TLS takes time that a worker without it saves. */
export function createTlsServer(limits: ServerOptions, tls: ListenerTls, handle: RequestListener): Server {
  const { clientAuth, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS, ...options } = tls
  const server = createServer(
    {
      ...limits,
      ...options,
      handshakeTimeout: handshakeTimeoutMs,
      requestCert: clientAuth !== 'none',
      rejectUnauthorized: clientAuth === 'required',
    },
    handle,
  )
  if (clientAuth === 'requested') server.on('secureConnection', refuseForeign)
  return server
}

/** As in Java, a client without a certificate is accepted, and one with a certificate that is not trusted is not. */
function refuseForeign(socket: TLSSocket): void {
  const hasCertificate = Object.keys(socket.getPeerCertificate()).length > 0
  if (hasCertificate && !socket.authorized) socket.destroy()
}
