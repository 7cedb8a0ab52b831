import { isLoopback, type Clock, type Logger } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { TokenLogin } from '../api/kafka.ts'
import type { TokenEndpoint, TokenSettings } from '../api/token-settings.ts'
import type { Token, TokenSource } from '../api/token-source.ts'
import { tlsClient } from '../network/tls-context.ts'
import { awsIamToken, requireAwsSigner } from './aws-iam-token.ts'
import { CachedTokens } from './cached-tokens.ts'
import { endpointToken } from './endpoint-token.ts'
import { readTokenFile } from './token-file.ts'
import { unsecuredToken } from './unsecured-token.ts'

interface Shared {
  readonly clock: Clock
  readonly logger: Logger
}

/** The source of the tokens of a login. Throws SETTING_INVALID for a certificate, or AWS_SIGNER_MISSING. */
export function createTokenSource({ tokens, refresh: window }: TokenLogin, shared: Shared): TokenSource {
  return new CachedTokens({ ...kindOf(tokens, shared), window, ...shared })
}

interface Kind {
  readonly name: string
  readonly remedy: string
  readonly fetch: (signal: AbortSignal) => Promise<Token>
}

const BROKER_REMEDY =
  'Check that the broker accepts the tokens of this issuer: its sasl.oauthbearer.expected.issuer, …expected.audience and …jwks.endpoint.url, and the clocks of both machines.'

function kindOf(tokens: TokenSettings, { clock, logger }: Shared): Kind {
  switch (tokens.tag) {
    case 'endpoint':
      return endpointKind(tokens, { clock, logger })
    case 'file':
      return { name: `the file ${tokens.path}`, remedy: BROKER_REMEDY, fetch: () => readTokenFile(tokens.path, clock) }
    case 'unsecured': {
      const remedy =
        'Only a broker with the unsecured validator accepts such tokens: set sasl.login.callback.handler.class and sasl.oauthbearer.token.endpoint.url.'
      return { name: 'the unsecured login', remedy, fetch: () => Promise.resolve(unsecuredToken(tokens, clock)) }
    }
    case 'awsIam': {
      requireAwsSigner()
      const remedy = `Check that the policy of this identity allows kafka-cluster:Connect on the cluster, and the region (${tokens.region}).`
      return { name: 'AWS', remedy, fetch: (signal) => awsIamToken(tokens, { clock, signal }) }
    }
  }
}

function endpointKind(endpoint: TokenEndpoint, { clock, logger }: Shared): Kind {
  const { url } = endpoint
  const tls = url.protocol === 'https:' ? tlsClient(endpoint.tls) : null
  const name = `the token endpoint ${url.origin + url.pathname}`
  if (tls === null && !isLocal(url.hostname)) {
    const { code, message } = kafkaErrors.TOKEN_ENDPOINT_UNENCRYPTED({ url: url.origin + url.pathname })
    logger.warn(`${message} [${code}]`, { code })
  }
  return { name, remedy: BROKER_REMEDY, fetch: (signal) => endpointToken(endpoint, tls, clock, signal) }
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replaceAll(/[[\]]/g, ''))
}
