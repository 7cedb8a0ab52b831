import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { eachAddressText, StoppedError, tlsFailureText, type Clock, type CodedError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import { tlsRemedy } from './tls-remedy.ts'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface TlsClient {
  readonly context: SecureContext
  readonly checkHostName: boolean
}

export interface SocketOptions {
  readonly endpoint: Endpoint
  /** Null: plain TCP. */
  readonly tls: TlsClient | null
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

/** Idle time after which the system probes a connection, to detect a peer that vanished. */
const KEEP_ALIVE_MS = 60_000

/** Opens a connection, TLS handshake included. Rejects with BROKER_UNREACHABLE, TLS_REFUSED or StoppedError. */
export function openSocket(options: SocketOptions): Promise<Socket> {
  const { endpoint, tls, timeoutMs, clock, signal } = options
  if (signal?.aborted) return Promise.reject(new StoppedError())
  return new Promise((resolve, reject) => {
    const socket = tls === null ? connect(tcpOptions(endpoint)) : connectWithTls(endpoint, tls)
    let failure: Error | null = null
    const timer = clock.after(timeoutMs, () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)))
    const onAbort = (): void => void socket.destroy(new StoppedError())
    const onError = (error: Error): void => void (failure = error)
    const onClose = (): void => {
      cleanUp()
      reject(
        connectFailure(endpoint, failure ?? new Error('it closed the connection during the handshake'), tls !== null),
      )
    }
    const onConnect = (): void => {
      cleanUp()
      resolve(socket)
    }
    const connectEvent = tls === null ? 'connect' : 'secureConnect'
    const cleanUp = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', onAbort)
      socket.off('error', onError).off('close', onClose).off(connectEvent, onConnect)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    socket.on('error', onError).on('close', onClose).on(connectEvent, onConnect)
  })
}

function tcpOptions(endpoint: Endpoint): {
  host: string
  port: number
  noDelay: true
  keepAlive: true
  keepAliveInitialDelay: number
} {
  return { ...endpoint, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }
}

function connectWithTls(endpoint: Endpoint, tls: TlsClient): Socket {
  return connectTls({
    ...tcpOptions(endpoint),
    secureContext: tls.context,
    // An IP address is not allowed as server name (RFC 6066, section 3).
    ...(isIP(endpoint.host) === 0 && { servername: endpoint.host }),
    ...(!tls.checkHostName && { checkServerIdentity: () => undefined }),
  })
}

function connectFailure(endpoint: Endpoint, cause: Error, isTls: boolean): CodedError | StoppedError {
  if (cause instanceof StoppedError) return cause
  const broker = `${endpoint.host}:${endpoint.port}`
  const isCut = isTls && cause.message === DISCONNECTED
  const reason = isCut ? CUT_IN_HANDSHAKE : eachAddressText(cause, tlsFailureText)
  if (isTls && isTlsFailure(cause)) return kafkaErrors.TLS_REFUSED({ broker, reason, remedy: tlsRemedy(cause) }, cause)
  return kafkaErrors.BROKER_UNREACHABLE({ broker, reason }, cause)
}

/** Node's message when the connection ends during the handshake. Its code is that of a reset (ECONNRESET). */
const DISCONNECTED = 'Client network socket disconnected before secure TLS connection was established'
const CUT_IN_HANDSHAKE =
  'the connection ended during the TLS handshake, as with a listener without TLS: check security.protocol and the port'

/**
 * Whether the code is one of OpenSSL or Node for certificates and handshakes, which no retry changes. A reset or refused
 * connection has a system code.
 */
export function isTlsFailure(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === 'EPROTO' || /^ERR_(TLS|SSL|OSSL)_/.test(code) || VERIFICATION.test(code)
}

/** Node's codes for X509_V_ERR_…: those of every reason for which OpenSSL refuses a certificate. */
const VERIFICATION =
  /CERT|CRL_|^(UNABLE_TO_|HOSTNAME_|PATH_LENGTH_EXCEEDED|INVALID_(CA|PURPOSE)|ERROR_IN_|UNSPECIFIED|OUT_OF_MEM)/
