import {
  apiVersionsV3,
  saslAuthenticateV2,
  saslHandshakeV1,
  saslPlain,
  saslScramSha,
  type Connection,
} from '@platformatic/kafka'
import { CodedError, StoppedError, toError, type Clock } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { SaslOptions } from '../api/kafka.ts'
import { ErrorCode, errorName } from '../protocol/broker-error.ts'
import { KAFKA_CLIENT_VERSION } from '../version.ts'
import { BrokerConnection } from './broker-connection.ts'
import { asLibraryConnection, request } from './codec.ts'
import { isTlsFailure, openSocket, reasonOf, type Endpoint, type TlsClient } from './socket.ts'

/** What the brokers' metrics call this program (KIP-511). */
const SOFTWARE_NAME = 'tributary'

/** The requests that are used, each in the one version that is used: together they need Kafka 2.8. */
const NEEDED: readonly { readonly key: number; readonly request: string; readonly version: number }[] = [
  { key: 0, request: 'Produce', version: 9 },
  { key: 1, request: 'Fetch', version: 12 },
  { key: 2, request: 'ListOffsets', version: 6 },
  { key: 3, request: 'Metadata', version: 9 },
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
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly clock: Clock
}

/**
 * Opens a connection that can be used: connected, spoken to in versions that the broker knows, logged in. Rejects with a
 * coded error that says which of these failed, or StoppedError.
 */
export async function openBrokerConnection(
  endpoint: Endpoint,
  options: LoginOptions,
  signal?: AbortSignal,
): Promise<BrokerConnection> {
  const { clientId, tls, sasl, connectTimeoutMs, requestTimeoutMs, clock } = options
  const socket = await openSocket({ endpoint, tls, timeoutMs: connectTimeoutMs, clock, signal })
  const broker = `${endpoint.host}:${endpoint.port}`
  const connection = new BrokerConnection(socket, { broker, clientId, requestTimeoutMs, clock })
  const onAbort = (): void => connection.end(new StoppedError())
  signal?.addEventListener('abort', onAbort, { once: true })
  // A broker that hangs still lets the system take its connections: the greeting must not wait as long as a request.
  const timer = clock.after(connectTimeoutMs, () => {
    connection.end(kafkaErrors.BROKER_UNREACHABLE({ broker, reason: `it says nothing for ${connectTimeoutMs} ms` }))
  })
  try {
    await checkVersions(connection)
    if (sasl !== null) await logIn(connection, sasl, clock)
    return connection
  } catch (thrown) {
    await connection.close()
    throw asTlsRefusal(thrown, broker)
  } finally {
    timer.cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** With TLS 1.3 a broker that misses a client certificate says so only after the client's half of the handshake. */
function asTlsRefusal(thrown: unknown, broker: string): unknown {
  const cause = thrown instanceof CodedError ? thrown.cause : undefined
  if (!(cause instanceof Error) || !isTlsFailure(cause)) return thrown
  return kafkaErrors.TLS_REFUSED({ broker, reason: reasonOf(cause) }, cause)
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

/** Used up to this part of the time that the broker gives a session: time enough to finish what is under way. */
const SESSION_USED = 0.85

async function logIn(connection: BrokerConnection, sasl: SaslOptions, clock: Clock): Promise<void> {
  const { mechanism, username, password } = sasl
  const { broker } = connection
  const handshake = await request(connection, saslHandshakeV1.api, mechanism)
  if (handshake.errorCode === ErrorCode.UNSUPPORTED_SASL_MECHANISM) {
    throw kafkaErrors.SASL_MECHANISM_DISABLED({ broker, mechanism, offered: handshake.mechanisms.join(', ') })
  }
  if (handshake.errorCode !== ErrorCode.NONE) {
    throw kafkaErrors.NOT_A_BROKER({ broker, reason: `it answers a login with ${errorName(handshake.errorCode)}` })
  }
  const library: Connection = asLibraryConnection(connection)
  try {
    const { sessionLifetimeMs } = await (mechanism === 'PLAIN'
      ? saslPlain.authenticate(saslAuthenticateV2.api, library, username, password)
      : saslScramSha.authenticate(saslAuthenticateV2.api, library, scramHash(mechanism), username, password))
    if (sessionLifetimeMs > 0n) connection.renewAtMs = clock.now() + Number(sessionLifetimeMs) * SESSION_USED
  } catch (thrown) {
    const error = toError(thrown)
    const lost = ownCause(error)
    if (lost !== null) throw lost
    throw kafkaErrors.AUTHENTICATION_FAILED({ broker, user: username, mechanism, reason: deepestMessage(error) }, error)
  }
}

function scramHash(mechanism: 'SCRAM-SHA-256' | 'SCRAM-SHA-512'): 'SHA-256' | 'SHA-512' {
  return mechanism === 'SCRAM-SHA-256' ? 'SHA-256' : 'SHA-512'
}

/** The library wraps what the connection said (lost, timed out, stopped), which is no refusal. */
function ownCause(error: Error): CodedError | StoppedError | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof CodedError || e instanceof StoppedError) return e
  }
  return null
}

/** What the broker said stands innermost: in the last cause, and there in the list of errors. */
function deepestMessage(error: Error): string {
  let deepest = error
  for (;;) {
    const inner: unknown = deepest.cause ?? (deepest instanceof AggregateError ? deepest.errors[0] : undefined)
    if (!(inner instanceof Error)) break
    deepest = inner
  }
  const said: unknown = Reflect.get(deepest, 'serverErrorMessage')
  return typeof said === 'string' && said !== '' ? said : deepest.message
}
