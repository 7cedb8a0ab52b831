import {
  CodedError,
  eachAddressText,
  isRetriable,
  retry,
  StoppedError,
  tlsFailureText,
  toError,
  visibleText,
  withTimeout,
  type Clock,
} from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { Grant, TokenEndpoint } from '../api/token-settings.ts'
import type { Token } from '../api/token-source.ts'
import { isTlsFailure, type TlsClient } from '../network/socket.ts'
import { assertionText } from './assertion.ts'
import { membersOfJson, tokenOfJwt } from './jwt.ts'
import { postForm, type FormAnswer } from './post-form.ts'

const URL_SETTING = 'sasl.oauthbearer.token.endpoint.url'
const CLIENT_SETTINGS =
  'sasl.oauthbearer.client.credentials.client.id and …client.secret (or clientId and clientSecret in sasl.jaas.config), and the scope'
const ASSERTION_SETTINGS = 'sasl.oauthbearer.assertion.* and sasl.oauthbearer.scope'
const TLS_REMEDY = 'Check ssl.truststore.* in the options of sasl.jaas.config, which apply to the token endpoint.'

/** Statuses that no repetition changes, as in Java. */
const PERMANENT: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 501, 505,
])

/**
 * Obtains a token from the endpoint; repeats failed requests within the limit of the settings. Rejects with TOKEN_REFUSED,
 * TOKEN_INVALID, TOKEN_UNAVAILABLE (retriable) or StoppedError.
 */
export async function endpointToken(
  endpoint: TokenEndpoint,
  tls: TlsClient | null,
  clock: Clock,
  signal: AbortSignal,
): Promise<Token> {
  const { retryBackoffMs, retryBackoffMaxMs, url } = endpoint
  const answer = await retry(() => attempt(endpoint, { tls, clock, signal }), {
    clock,
    signal,
    initialMs: Math.max(retryBackoffMs, PAUSE_MS_MIN),
    maxMs: Math.max(retryBackoffMaxMs, PAUSE_MS_MIN),
    limitMs: retryBackoffMaxMs,
    when: isRetriable,
  })
  const remedy = `Check ${URL_SETTING}, and that the identity provider issues JSON Web Tokens to this client.`
  const source = `the token endpoint ${shown(url)}`
  const value = tokenIn(answer.text)
  if (value === null) {
    throw kafkaErrors.TOKEN_INVALID({ source, reason: 'its answer is no JSON object with access_token', remedy })
  }
  return tokenOfJwt(value, { source, remedy, nowMs: clock.now() })
}

/** A pause of 0 would send as many requests as possible. */
const PAUSE_MS_MIN = 10

interface Attempt {
  readonly tls: TlsClient | null
  readonly clock: Clock
  readonly signal: AbortSignal
}

async function attempt(endpoint: TokenEndpoint, { tls, clock, signal }: Attempt): Promise<FormAnswer> {
  const { url, timeoutMs } = endpoint
  const request = { url, tls, ...(await formOf(endpoint, clock)) }
  let answer: FormAnswer
  try {
    answer = await withTimeout(clock, timeoutMs, (limit) => postForm(request, limit), signal)
  } catch (thrown) {
    throw requestFailure(endpoint, toError(thrown), signal)
  }
  if (answer.status === 200 || answer.status === 201) return answer
  throw refusal(endpoint, answer)
}

function requestFailure(endpoint: TokenEndpoint, error: Error, signal: AbortSignal): Error {
  if (signal.aborted) return new StoppedError()
  if (error instanceof CodedError) return error
  const url = shown(endpoint.url)
  if (isTlsFailure(error)) {
    const reason = `the TLS handshake failed: ${eachAddressText(error, tlsFailureText)}`
    return kafkaErrors.TOKEN_REFUSED({ url, client: clientOf(endpoint.grant), reason, remedy: TLS_REMEDY }, error)
  }
  const isLate = error.name === 'AbortError'
  const reason = isLate ? `no answer within ${endpoint.timeoutMs} ms` : eachAddressText(error, tlsFailureText)
  return kafkaErrors.TOKEN_UNAVAILABLE({ url, reason, setting: URL_SETTING }, error)
}

function refusal({ url: address, grant }: TokenEndpoint, { status, text, location }: FormAnswer): Error {
  const url = shown(address)
  if (location !== null) {
    const reason = `it redirects to ${visibleText(location).slice(0, REASON_LENGTH_MAX)}`
    return kafkaErrors.TOKEN_REFUSED({ url, client: clientOf(grant), reason, remedy: `Set ${URL_SETTING} to that.` })
  }
  const reason = `status ${status}${withoutSecret(errorText(text), grant)}`
  if (!PERMANENT.has(status)) return kafkaErrors.TOKEN_UNAVAILABLE({ url, reason, setting: URL_SETTING })
  const isAboutClient = status === 400 || status === 401 || status === 403
  const settings = grant.tag === 'clientSecret' ? CLIENT_SETTINGS : ASSERTION_SETTINGS
  const remedy = `Check ${isAboutClient ? settings : URL_SETTING}.`
  return kafkaErrors.TOKEN_REFUSED({ url, client: clientOf(grant), reason, remedy })
}

interface Form {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function formOf({ grant, scope }: TokenEndpoint, clock: Clock): Promise<Form> {
  switch (grant.tag) {
    case 'clientSecret': {
      const text = (value: string): string => (grant.isUrlEncoded ? formEncoded(value) : value)
      const login = Buffer.from(`${text(grant.clientId)}:${text(grant.clientSecret)}`).toString('base64')
      // Like Java, which sends the scope as it is: some have one that is encoded already.
      const body = `grant_type=client_credentials${scope === null ? '' : `&scope=${text(scope)}`}`
      return { headers: { Authorization: `Basic ${login}` }, body }
    }
    case 'clientAssertion': {
      const form = new URLSearchParams({
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await assertionText(grant.assertion, clock),
        grant_type: 'client_credentials',
        ...(grant.clientId !== null && { client_id: grant.clientId }),
        ...(scope !== null && { scope }),
      })
      return { headers: {}, body: form.toString() }
    }
    case 'jwtBearer': {
      const form = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: await assertionText(grant.assertion, clock),
        ...(scope !== null && { scope }),
      })
      return { headers: {}, body: form.toString() }
    }
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice('v='.length)
}

/** `access_token`, or else `id_token`. */
function tokenIn(text: string): string | null {
  const answer = membersOfJson(text) ?? {}
  for (const name of ['access_token', 'id_token']) {
    const value = answer[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return null
}

const REASON_LENGTH_MAX = 300

/** The error in an answer (RFC 6749, 5.2), or else its beginning. */
function errorText(text: string): string {
  const members = membersOfJson(text) ?? {}
  const parts = ['error', 'error_description', 'errorCode', 'errorSummary']
    .map((name) => members[name])
    .filter((part) => typeof part === 'string')
  const found = (parts.length > 0 ? parts.join(': ') : text.trim()).slice(0, REASON_LENGTH_MAX)
  return found === '' ? '' : ` (${visibleText(found)})`
}

/** Some servers repeat the request in their error. */
function withoutSecret(text: string, grant: Grant): string {
  return grant.tag === 'clientSecret' ? text.replaceAll(grant.clientSecret, '[hidden]') : text
}

function clientOf(grant: Grant): string {
  return grant.tag === 'jwtBearer' ? '(by assertion)' : (grant.clientId ?? '(by assertion)')
}

/** Without a query, which may contain a secret. */
function shown(url: URL): string {
  return url.origin + url.pathname
}
