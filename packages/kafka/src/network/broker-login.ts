import { apiVersionsV3 } from '@platformatic/kafka'
import { CodedError, isLoopback, StoppedError, tlsFailureText, type Clock } from '@tributary/support'
import type { OpenSocket } from '../api/broker-socket.ts'
import { kafkaErrors } from '../api/errors.ts'
import { ErrorCode, errorName } from '../protocol/broker-error.ts'
import { KAFKA_CLIENT_VERSION } from '../version.ts'
import { BrokerConnection } from './broker-connection.ts'
import { request } from './codec.ts'
import { usualSystemBuffer, type SystemBuffer } from './request-writer.ts'
import { credentialsOf, logIn, type SaslLogin } from './sasl-exchange.ts'
import { isTlsFailure, openSocket, type Endpoint, type TlsClient } from './socket.ts'
import { tlsRemedy } from './tls-remedy.ts'

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
  readonly sasl: SaslLogin | null
  /** Called for each connection to another machine that is not encrypted. */
  readonly onUnencrypted: (broker: string) => void
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly clock: Clock
  /** Shared by all connections of a client. Default: one that this connection alone has. */
  readonly systemBuffer?: SystemBuffer | undefined
  /** Default: TCP, or TLS with `tls`. */
  readonly openSocket?: OpenSocket | undefined
}

/**
 * Opens a connection: obtains a token if the login needs one, connects, checks that the broker supports the required
 * versions, and logs in. Rejects with the coded error of the step that failed, or StoppedError.
 */
export async function openBrokerConnection(
  endpoint: Endpoint,
  options: LoginOptions,
  signal?: AbortSignal,
): Promise<BrokerConnection> {
  const { clientId, tls, sasl, connectTimeoutMs, requestTimeoutMs, clock, systemBuffer = usualSystemBuffer() } = options
  const credentials = sasl === null ? null : await credentialsOf(sasl, signal)
  const open = options.openSocket ?? openSocket
  const socket = await open({ endpoint, tls, timeoutMs: connectTimeoutMs, clock, signal })
  const broker = `${endpoint.host}:${endpoint.port}`
  if (tls === null && socket.remoteAddress !== undefined && !isLoopback(socket.remoteAddress)) {
    options.onUnencrypted(broker)
  }
  const connection = new BrokerConnection(socket, { broker, clientId, requestTimeoutMs, clock, systemBuffer })
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
    if (credentials !== null) await logIn(connection, credentials, clock)
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
  return kafkaErrors.TLS_REFUSED({ broker, reason: tlsFailureText(cause), remedy: tlsRemedy(cause) }, cause)
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
