import { saslAuthenticateV2, saslHandshakeV1, saslPlain, saslScramSha, type Connection } from '@platformatic/kafka'
import { CodedError, StoppedError, toError, visibleText, type Clock } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { PasswordLogin } from '../api/kafka.ts'
import type { Token, TokenSource } from '../api/token-source.ts'
import { ErrorCode, errorName } from '../protocol/broker-error.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { asLibraryConnection, request } from './codec.ts'

/** A login with the tokens of a source. */
export interface BearerLogin {
  readonly mechanism: 'OAUTHBEARER'
  readonly source: TokenSource
  readonly extensions: Readonly<Record<string, string>>
}

export type SaslLogin = PasswordLogin | BearerLogin

/** The credentials for one connection: passwords, or a token that was obtained for it. */
export type Credentials = PasswordLogin | (BearerLogin & { readonly token: Token })

/** Obtains what the login needs before the connection is opened: brokers do not wait for a token endpoint. */
export async function credentialsOf(login: SaslLogin, signal: AbortSignal | undefined): Promise<Credentials> {
  if (login.mechanism !== 'OAUTHBEARER') return login
  return { ...login, token: await login.source.token(signal) }
}

/**
 * The part of the session's lifetime after which the connection is replaced; the rest is for the requests in flight.
 */
const SESSION_USED = 0.85

/** Logs in. Rejects with SASL_MECHANISM_DISABLED, AUTHENTICATION_FAILED, or the error of the connection. */
export async function logIn(connection: BrokerConnection, credentials: Credentials, clock: Clock): Promise<void> {
  const { mechanism } = credentials
  const { broker } = connection
  const handshake = await request(connection, saslHandshakeV1.api, mechanism)
  if (handshake.errorCode === ErrorCode.UNSUPPORTED_SASL_MECHANISM) {
    throw kafkaErrors.SASL_MECHANISM_DISABLED({ broker, mechanism, offered: handshake.mechanisms.join(', ') })
  }
  if (handshake.errorCode !== ErrorCode.NONE) {
    throw kafkaErrors.NOT_A_BROKER({ broker, reason: `it answered the login with ${errorName(handshake.errorCode)}` })
  }
  const sessionLifetimeMs = await (mechanism === 'OAUTHBEARER'
    ? exchangeToken(connection, credentials)
    : exchangePassword(connection, credentials))
  if (sessionLifetimeMs > 0n) connection.renewAtMs = clock.now() + Number(sessionLifetimeMs) * SESSION_USED
}

async function exchangePassword(connection: BrokerConnection, login: PasswordLogin): Promise<bigint> {
  const { mechanism, username, password } = login
  const library: Connection = asLibraryConnection(connection)
  try {
    const { sessionLifetimeMs } = await (mechanism === 'PLAIN'
      ? saslPlain.authenticate(saslAuthenticateV2.api, library, username, password)
      : saslScramSha.authenticate(saslAuthenticateV2.api, library, scramHash(mechanism), username, password))
    return sessionLifetimeMs
  } catch (thrown) {
    const error = toError(thrown)
    const connectionError = connectionErrorIn(error)
    if (connectionError !== null) throw connectionError
    const { broker } = connection
    const reason = deepestMessage(error)
    const remedy = passwordRemedy(mechanism)
    throw kafkaErrors.AUTHENTICATION_FAILED({ broker, user: username, mechanism, reason, remedy }, error)
  }
}

function passwordRemedy(mechanism: PasswordLogin['mechanism']): string {
  const check = 'Check username and password in sasl.jaas.config'
  if (mechanism === 'PLAIN') return `${check}.`
  return `${check}, and that the user has credentials for ${mechanism} (kafka-configs --describe --entity-type users).`
}

/*
 * RFC 7628: "n,," 01 "auth=Bearer " token (01 name "=" value)* 01 01
 *
 * A broker that rejects the token answers with a JSON document; the client answers that with 01, and then the broker
 * reports the failure.
 */
const SEPARATOR = '\u0001'

async function exchangeToken(
  connection: BrokerConnection,
  { token, extensions, source }: BearerLogin & { readonly token: Token },
): Promise<bigint> {
  const pairs = Object.entries(extensions).map(([name, value]) => `${SEPARATOR}${name}=${value}`)
  const first = `n,,${SEPARATOR}auth=Bearer ${token.value}${pairs.join('')}${SEPARATOR}${SEPARATOR}`
  let answer = await request(connection, saslAuthenticateV2.api, Buffer.from(first))
  if (answer.errorCode === ErrorCode.NONE && answer.authBytes.length === 0) return answer.sessionLifetimeMs
  const status = statusIn(answer.authBytes)
  if (answer.errorCode === ErrorCode.NONE) {
    answer = await request(connection, saslAuthenticateV2.api, Buffer.from(SEPARATOR))
  }
  source.forget(token)
  const texts = [answer.errorMessage, status].filter((text) => text !== null && text !== '')
  const reason = visibleText(texts.join('; ') || errorName(answer.errorCode)).slice(0, REASON_LENGTH_MAX)
  const { broker } = connection
  const { remedy, name } = source
  const mechanism = `OAUTHBEARER and a token of ${name}`
  throw kafkaErrors.AUTHENTICATION_FAILED({ broker, user: token.user, mechanism, reason, remedy })
}

const REASON_LENGTH_MAX = 500

/** The document of a broker that rejects a token: `{"status":"invalid_token"}`. */
function statusIn(bytes: Buffer): string | null {
  return bytes.length === 0 ? null : bytes.toString('utf8')
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
