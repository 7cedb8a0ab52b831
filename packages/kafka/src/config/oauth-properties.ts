import { fileURLToPath } from 'node:url'
import { kafkaErrors } from '../api/errors.ts'
import type { TokenLogin } from '../api/kafka.ts'
import type { Assertion, Grant, TokenEndpoint, TokenSettings, UnsecuredTokens } from '../api/token-settings.ts'
import { awsIamLogin } from './aws-iam-properties.ts'
import { PropertyReader } from './property-reader.ts'
import { refreshWindow } from './refresh-window.ts'
import { tlsOptions } from './tls-properties.ts'

type JaasOptions = ReadonlyMap<string, string>

const PACKAGE = 'org.apache.kafka.common.security.oauthbearer'
const LOGIN_HANDLERS = [
  `${PACKAGE}.OAuthBearerLoginCallbackHandler`,
  // Its name until Kafka 4.0.
  `${PACKAGE}.secured.OAuthBearerLoginCallbackHandler`,
]
const UNSECURED_HANDLER = `${PACKAGE}.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler`
const IAM_HANDLER = 'software.amazon.msk.auth.iam.IAMOAuthBearerLoginCallbackHandler'
const RETRIEVERS = ['DefaultJwtRetriever', 'ClientCredentialsJwtRetriever', 'FileJwtRetriever', 'JwtBearerJwtRetriever']
const VALIDATORS = ['DefaultJwtValidator', 'ClientJwtValidator']

const HANDLER = 'sasl.login.callback.handler.class'
const ENDPOINT = 'sasl.oauthbearer.token.endpoint.url'
const RETRIEVER = 'sasl.oauthbearer.jwt.retriever.class'
const ASSERTION = 'sasl.oauthbearer.assertion'
const CREDENTIALS = 'sasl.oauthbearer.client.credentials'

/** Reads the settings of a login with OAUTHBEARER: KIP-768, KIP-1139, and the unsecured login of KIP-255. */
export function bearerLogin(reader: PropertyReader, options: JaasOptions): TokenLogin {
  const handler = reader.text(HANDLER) ?? ''
  if (handler === IAM_HANDLER) return awsIamLogin(reader, options)
  const isUnsecured = handler === UNSECURED_HANDLER || handler === ''
  if (!isUnsecured && !LOGIN_HANDLERS.includes(handler)) {
    const reason = 'Tributary runs no Java classes'
    const instead = `Set it to ${LOGIN_HANDLERS[0] ?? ''}, with ${ENDPOINT}, ${CREDENTIALS}.client.id and ${CREDENTIALS}.client.secret.`
    throw kafkaErrors.SETTING_UNSUPPORTED({ name: HANDLER, value: handler, reason, instead })
  }
  return {
    mechanism: 'OAUTHBEARER',
    tokens: isUnsecured ? unsecuredTokens(reader, options) : tokenSettings(reader, options),
    extensions: extensionsIn(options, isUnsecured ? 'unsecuredLoginExtension_' : 'extension_'),
    refresh: refreshWindow(reader),
  }
}

const EXTENSION_NAME = /^[A-Za-z]+$/
const EXTENSION_VALUE = /^[\u0021-\u007E \t\r\n]+$/

function extensionsIn(options: JaasOptions, prefix: string): Readonly<Record<string, string>> {
  const extensions: Record<string, string> = {}
  for (const [option, value] of options) {
    if (!option.startsWith(prefix)) continue
    const name = option.slice(prefix.length)
    if (!EXTENSION_NAME.test(name) || name === 'auth' || !EXTENSION_VALUE.test(value)) {
      throw invalidJaas(`the name of ${option} may contain letters only, its value printable ASCII characters only`)
    }
    extensions[name] = value
  }
  return extensions
}

function tokenSettings(reader: PropertyReader, options: JaasOptions): TokenSettings {
  const retriever = classOf(reader, RETRIEVER, RETRIEVERS)
  classOf(reader, 'sasl.oauthbearer.jwt.validator.class', VALIDATORS)
  const url = endpointUrl(reader)
  if (url.protocol === 'file:') return { tag: 'file', path: fileURLToPath(url) }
  return {
    tag: 'endpoint',
    url,
    tls: url.protocol === 'https:' ? tlsOptions(new PropertyReader(Object.fromEntries(options))) : {},
    grant: retriever === 'JwtBearerJwtRetriever' ? jwtBearer(reader) : clientCredentials(reader, options),
    scope: nonEmpty(reader.text('sasl.oauthbearer.scope')) ?? nonEmpty(options.get('scope')?.trim()),
    ...limits(reader),
  }
}

/** The name without its package. */
function classOf(reader: PropertyReader, name: string, known: readonly string[]): string {
  const value = nonEmpty(reader.text(name))
  if (value === null) return known[0] ?? ''
  const found = known.find((each) => value === `${PACKAGE}.${each}`)
  if (found !== undefined) return found
  const instead = `Use one of ${known.map((each) => `${PACKAGE}.${each}`).join(', ')}.`
  throw kafkaErrors.SETTING_UNSUPPORTED({ name, value, reason: 'Tributary runs no Java classes', instead })
}

function endpointUrl(reader: PropertyReader): URL {
  const value = nonEmpty(reader.text(ENDPOINT))
  if (value === null) {
    throw kafkaErrors.SETTING_MISSING({
      name: ENDPOINT,
      why: `, which ${HANDLER} needs: the address of the token endpoint`,
    })
  }
  const url = URL.parse(value)
  const isKnown = url !== null && ['http:', 'https:', 'file:'].includes(url.protocol)
  if (isKnown && (url.protocol !== 'file:' || url.host === '')) return url
  throw kafkaErrors.SETTING_INVALID({ name: ENDPOINT, value, reason: 'it is no URL with https, http or file:///' })
}

const TIMEOUT_MS = 10_000
const LIMITS = { backoffMs: 100, backoffMaxMs: 10_000 } as const

/** Java waits without a limit for a connection and an answer; here 10 seconds for each. */
function limits(reader: PropertyReader): Pick<TokenEndpoint, 'timeoutMs' | 'retryBackoffMs' | 'retryBackoffMaxMs'> {
  const name = (part: string): string => `sasl.login.${part}`
  const connectMs = reader.milliseconds(name('connect.timeout.ms'), 1) ?? TIMEOUT_MS
  const readMs = reader.milliseconds(name('read.timeout.ms'), 1) ?? TIMEOUT_MS
  return {
    timeoutMs: connectMs + readMs,
    retryBackoffMs: reader.milliseconds(name('retry.backoff.ms'), 0) ?? LIMITS.backoffMs,
    retryBackoffMaxMs: reader.milliseconds(name('retry.backoff.max.ms'), 0) ?? LIMITS.backoffMaxMs,
  }
}

function clientCredentials(reader: PropertyReader, options: JaasOptions): Grant {
  const clientId = nonEmpty(reader.text(`${CREDENTIALS}.client.id`)) ?? nonEmpty(options.get('clientId')?.trim())
  const isByAssertion = [`${ASSERTION}.file`, `${ASSERTION}.claim.iss`].some(
    (name) => nonEmpty(reader.text(name)) !== null,
  )
  if (isByAssertion) return { tag: 'clientAssertion', clientId, assertion: assertionOf(reader) }
  const secretName = `${CREDENTIALS}.client.secret`
  const clientSecret = nonEmpty(reader.text(secretName)) ?? nonEmpty(options.get('clientSecret')?.trim())
  if (clientId === null) throw missing(`${CREDENTIALS}.client.id`, 'clientId')
  if (clientSecret === null) throw missing(secretName, 'clientSecret')
  const isUrlEncoded = reader.text('sasl.oauthbearer.header.urlencode')?.toLowerCase() === 'true'
  return { tag: 'clientSecret', clientId, clientSecret, isUrlEncoded }
}

function missing(name: string, option: string): Error {
  return kafkaErrors.SETTING_MISSING({ name, why: `, and so is the option ${option} of sasl.jaas.config` })
}

function jwtBearer(reader: PropertyReader): Grant {
  return { tag: 'jwtBearer', assertion: assertionOf(reader) }
}

const ALGORITHMS = ['RS256', 'ES256'] as const
/** Java's defaults. */
const EXPIRES_SECONDS = 300
const VALID_SINCE_SECONDS = 60

function assertionOf(reader: PropertyReader): Assertion {
  const path = nonEmpty(reader.text(`${ASSERTION}.file`))
  if (path !== null) return { tag: 'file', path }
  const privateKeyPath = nonEmpty(reader.text(`${ASSERTION}.private.key.file`))
  if (privateKeyPath === null) {
    const why = `, and so is ${ASSERTION}.file: a login by assertion needs one of them`
    throw kafkaErrors.SETTING_MISSING({ name: `${ASSERTION}.private.key.file`, why })
  }
  const claims: Record<string, string> = {}
  for (const claim of ['aud', 'iss', 'sub']) {
    const value = nonEmpty(reader.text(`${ASSERTION}.claim.${claim}`))
    if (value !== null) claims[claim] = value
  }
  return {
    tag: 'signed',
    algorithm: reader.choice(`${ASSERTION}.algorithm`, ALGORITHMS, 'RS256'),
    privateKeyPath,
    passphrase: nonEmpty(reader.text(`${ASSERTION}.private.key.passphrase`)),
    templatePath: nonEmpty(reader.text(`${ASSERTION}.template.file`)),
    claims,
    expiresInSeconds: reader.wholeNumber(`${ASSERTION}.claim.exp.seconds`, 0) ?? EXPIRES_SECONDS,
    validSinceSeconds: reader.wholeNumber(`${ASSERTION}.claim.nbf.seconds`, 0) ?? VALID_SINCE_SECONDS,
    hasId: reader.text(`${ASSERTION}.claim.jti.include`)?.toLowerCase() === 'true',
  }
}

const UNSECURED = 'unsecuredLogin'
const UNSECURED_SECONDS = '3600'

function unsecuredTokens(reader: PropertyReader, options: JaasOptions): UnsecuredTokens {
  const principalClaim = nonEmpty(options.get(`${UNSECURED}PrincipalClaimName`)) ?? 'sub'
  const claims = claimsIn(options)
  if (typeof claims[principalClaim] !== 'string') {
    const isAsked = [...options.keys()].some((name) => name.startsWith(UNSECURED))
    if (isAsked) throw invalidJaas(`${UNSECURED}StringClaim_${principalClaim}="…" is expected: it names the user`)
    const why = `: OAUTHBEARER needs ${LOGIN_HANDLERS[0] ?? ''}, with ${ENDPOINT}`
    throw kafkaErrors.SETTING_MISSING({ name: HANDLER, why: nonEmpty(reader.text(HANDLER)) === null ? why : '' })
  }
  const lifetime = options.get(`${UNSECURED}LifetimeSeconds`) ?? UNSECURED_SECONDS
  if (!/^\d{1,10}$/.test(lifetime)) throw invalidJaas(`${UNSECURED}LifetimeSeconds must be a whole number`)
  return { tag: 'unsecured', lifetimeSeconds: Number(lifetime), principalClaim, claims }
}

function claimsIn(options: JaasOptions): Readonly<Record<string, unknown>> {
  const claims: Record<string, unknown> = {}
  for (const [option, value] of options) {
    const [, type, name] = /^unsecuredLogin(String|Number|List)Claim_(.+)$/s.exec(option) ?? []
    if (type === undefined || name === undefined) continue
    if (name === 'iat' || name === 'exp') throw invalidJaas(`the claim ${name} cannot be set`)
    if (type === 'Number' && !Number.isFinite(Number(value))) throw invalidJaas(`${option} must be a number`)
    claims[name] = type === 'String' ? value : type === 'Number' ? Number(value) : listOf(value)
  }
  return claims
}

/** The first character separates the elements: `,a,b`. */
function listOf(value: string): readonly string[] {
  return value.length <= 1 ? [] : value.slice(1).split(value.charAt(0))
}

function nonEmpty(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text
}

function invalidJaas(reason: string): Error {
  return kafkaErrors.SETTING_INVALID({ name: 'sasl.jaas.config', value: '(hidden)', reason })
}
