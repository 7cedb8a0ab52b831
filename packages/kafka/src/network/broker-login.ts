import {
  apiVersionsV3,
  saslAuthenticateV2,
  saslHandshakeV1,
  saslPlain,
  saslScramSha,
  type Connection,
} from '@platformatic/kafka'
import { CodedError, isLoopback, StoppedError, tlsFailureText, toError, type Clock } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { SaslOptions } from '../api/kafka.ts'
import { ErrorCode, errorName } from '../protocol/broker-error.ts'
import { KAFKA_CLIENT_VERSION } from '../version.ts'
import { BrokerConnection } from './broker-connection.ts'
import { asLibraryConnection, request } from './codec.ts'
import { isTlsFailure, openSocket, type Endpoint, type TlsClient } from './socket.ts'

/** The name of this program in the brokers' metrics (KIP-511). */
const SOFTWARE_NAME = 'tributary'

/** The requests that the client sends, each in one version. Kafka 2.8 is the first that supports all of them. */
const NEEDED: readonly { readonly key: number; readonly request: string; readonly version: number }[] = [
  { key: 0, request: 'Produce', version: 9 },
  { key: 1, request: 'Fetch', version: 12 },
  { key: 2, request: 'ListOffsets', version: 6 },
  { key: 3, request: 'Metadata', version: 9 },
  { key: 10, request: 'FindCoordinator', version: 2 },
  { key: 11, request: 'JoinGroup', version: 5 },
  { key: 12, request: 'Heartbeat', version: 3 },
  { key: 13, request: 'LeaveGroup', version: 3 },
  { key: 14, request: 'SyncGroup', version: 3 },
  { key: 15, request: 'DescribeGroups', version: 4 },
  { key: 19, request: 'CreateTopics', version: 5 },
  { key: 20, request: 'DeleteTopics', version: 5 },
  { key: 22, request: 'InitProducerId', version: 4 },
  { key: 32, request: 'DescribeConfigs', version: 4 },
  { key: 44, request: 'IncrementalAlterConfigs', version: 1 },
]

export interface LoginOptions {
  readonly clientId: string
  readonly tls: TlsClient | null
  readonly sasl: SaslOptions | null
  /** Called for each connection to another machine that is not encrypted. */
  readonly onUnencrypted: (broker: string) => void
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly clock: Clock
}

/**
 * Opens a connection: connects, checks that the broker supports the required versions, and logs in. Rejects with the
 * coded error of the step that failed, or StoppedError.
 */
export async function openBrokerConnection(
  endpoint: Endpoint,
  options: LoginOptions,
  signal?: AbortSignal,
): Promise<BrokerConnection> {
  const { clientId, tls, sasl, connectTimeoutMs, requestTimeoutMs, clock } = options
  const socket = await openSocket({ endpoint, tls, timeoutMs: connectTimeoutMs, clock, signal })
  const broker = `${endpoint.host}:${endpoint.port}`
  if (tls === null && socket.remoteAddress !== undefined && !isLoopback(socket.remoteAddress)) {
    options.onUnencrypted(broker)
  }
  const connection = new BrokerConnection(socket, { broker, clientId, requestTimeoutMs, clock })
  const onAbort = (): void => connection.end(new StoppedError())
  signal?.addEventListener('abort', onAbort, { once: true })
  // The system accepts connections for a broker that hangs: this limit applies also to the first two steps on the
  // connection.
  const timer = clock.after(connectTimeoutMs, () => {
    connection.end(
      kafkaErrors.BROKER_UNREACHABLE({ broker, reason: `it does not answer within ${connectTimeoutMs} ms` }),
    )
  })
  try {
    await checkVersions(connection)
    if (sasl !== null) await logIn(connection, sasl, clock)
    return connection
  } catch (thrown) {
    await connection.close()
    throw asTlsFailure(thrown, broker)
  } finally {
    timer.cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

/**
 * With TLS 1.3 a broker that requires a client certificate rejects the client only after the client's half of the
 * handshake.
 */
function asTlsFailure(thrown: unknown, broker: string): unknown {
  const cause = thrown instanceof CodedError ? thrown.cause : undefined
  if (!(cause instanceof Error) || !isTlsFailure(cause)) return thrown
  return kafkaErrors.TLS_REFUSED({ broker, reason: tlsFailureText(cause) }, cause)
}

async function checkVersions(connection: BrokerConnection): Promise<void> {
  const response = await request(connection, apiVersionsV3.api, SOFTWARE_NAME, KAFKA_CLIENT_VERSION)
  const { broker } = connection
  if (response.errorCode === ErrorCode.UNSUPPORTED_VERSION) {
    throw kafkaErrors.BROKER_TOO_OLD({ broker, request: 'ApiVersions', offered: 'below 3', needed: 3 })
  }
  if (response.errorCode !== ErrorCode.NONE) {
    throw kafkaErrors.NOT_A_BROKER({ broker, reason: errorName(response.errorCode) })
  }
  for (const { key, request: name, version } of NEEDED) {
    const offered = response.apiKeys.find(({ apiKey }) => apiKey === key)
    if (offered !== undefined && offered.minVersion <= version && version <= offered.maxVersion) continue
    const range = offered === undefined ? 'none' : `${offered.minVersion} to ${offered.maxVersion}`
    throw kafkaErrors.BROKER_TOO_OLD({ broker, request: name, offered: range, needed: version })
  }
}

/**
 * The part of the session's lifetime after which the connection is replaced; the rest is for the requests in flight.
 */
const SESSION_USED = 0.85

async function logIn(connection: BrokerConnection, sasl: SaslOptions, clock: Clock): Promise<void> {
  const { mechanism, username, password } = sasl
  const { broker } = connection
  const handshake = await request(connection, saslHandshakeV1.api, mechanism)
  if (handshake.errorCode === ErrorCode.UNSUPPORTED_SASL_MECHANISM) {
    throw kafkaErrors.SASL_MECHANISM_DISABLED({ broker, mechanism, offered: handshake.mechanisms.join(', ') })
  }
  if (handshake.errorCode !== ErrorCode.NONE) {
    throw kafkaErrors.NOT_A_BROKER({ broker, reason: `it answered the login with ${errorName(handshake.errorCode)}` })
  }
  const library: Connection = asLibraryConnection(connection)
  try {
    const { sessionLifetimeMs } = await (mechanism === 'PLAIN'
      ? saslPlain.authenticate(saslAuthenticateV2.api, library, username, password)
      : saslScramSha.authenticate(saslAuthenticateV2.api, library, scramHash(mechanism), username, password))
    if (sessionLifetimeMs > 0n) connection.renewAtMs = clock.now() + Number(sessionLifetimeMs) * SESSION_USED
  } catch (thrown) {
    const error = toError(thrown)
    const connectionError = connectionErrorIn(error)
    if (connectionError !== null) throw connectionError
    throw kafkaErrors.AUTHENTICATION_FAILED({ broker, user: username, mechanism, reason: deepestMessage(error) }, error)
  }
}

function scramHash(mechanism: 'SCRAM-SHA-256' | 'SCRAM-SHA-512'): 'SHA-256' | 'SHA-512' {
  return mechanism === 'SCRAM-SHA-256' ? 'SHA-256' : 'SHA-512'
}

/**
 * The library wraps errors of the connection (lost, timed out, stopped), which do not mean that the broker rejected the
 * login.
 */
function connectionErrorIn(error: Error): CodedError | StoppedError | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof CodedError || e instanceof StoppedError) return e
  }
  return null
}

/** The broker's message is in the innermost error: the last cause, or the first error of a list there. */
function deepestMessage(error: Error): string {
  let deepest = error
  for (;;) {
    const inner: unknown = deepest.cause ?? (deepest instanceof AggregateError ? deepest.errors[0] : undefined)
    if (!(inner instanceof Error)) break
    deepest = inner
  }
  const message: unknown = Reflect.get(deepest, 'serverErrorMessage')
  return typeof message === 'string' && message !== '' ? message : deepest.message
}
