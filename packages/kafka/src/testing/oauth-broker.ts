import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { captureLogger, startKafka, type KafkaServer } from '@tributary/testkit'
import type { Logger } from '@tributary/support'
import type { Kafka } from '../api/kafka.ts'
import { kafkaOptionsFromProperties } from '../config/client-properties.ts'
import { testKafka } from './clients.ts'
import { AUDIENCE, IdentityProvider, ISSUER } from './identity-provider.ts'

const PACKAGE = 'org.apache.kafka.common.security.oauthbearer'
export const BEARER_MODULE: string = `${PACKAGE}.OAuthBearerLoginModule required`
/** The system property of Java with the URLs that Kafka may use. */
export const ALLOWED_URLS = '-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls'

/** The file of a test certificate. */
export function tlsFile(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url))
}

export const clientCredentials: Readonly<Record<string, string>> = {
  'sasl.login.callback.handler.class': `${PACKAGE}.OAuthBearerLoginCallbackHandler`,
  'sasl.jaas.config': `${BEARER_MODULE};`,
  'sasl.oauthbearer.client.credentials.client.id': 'the-id',
  'sasl.oauthbearer.client.credentials.client.secret': 'the-secret',
}

export type OAuthListener = 'OAUTH' | 'BRIEF' | 'UNSECURED'

/**
 * A Kafka broker that checks signature, issuer and audience of the tokens with the published keys of an identity
 * provider. Its listener BRIEF ends sessions after two seconds, UNSECURED accepts tokens without a signature.
 * Only User:client may create topics.
 */
export class OAuthBroker implements AsyncDisposable {
  readonly provider: IdentityProvider
  readonly #server: KafkaServer

  private constructor(provider: IdentityProvider, server: KafkaServer) {
    this.provider = provider
    this.#server = server
  }

  static async start(): Promise<OAuthBroker> {
    const provider = await IdentityProvider.start(readFileSync(tlsFile('broker'), 'utf8'))
    const of = (name: string): string => `listener.name.${name}.oauthbearer`
    const validator = `${PACKAGE}.OAuthBearerValidatorCallbackHandler`
    const server = await startKafka({
      extraListeners: { OAUTH: 'SASL_PLAINTEXT', BRIEF: 'SASL_PLAINTEXT', UNSECURED: 'SASL_PLAINTEXT' },
      javaArgs: [`${ALLOWED_URLS}=${provider.keysUrl}`],
      config: {
        'sasl.enabled.mechanisms': 'OAUTHBEARER',
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users': 'User:ANONYMOUS;User:client',
        'sasl.oauthbearer.jwks.endpoint.url': provider.keysUrl,
        'sasl.oauthbearer.expected.issuer': ISSUER,
        'sasl.oauthbearer.expected.audience': AUDIENCE,
        [`${of('oauth')}.sasl.jaas.config`]: `${BEARER_MODULE};`,
        [`${of('brief')}.sasl.jaas.config`]: `${BEARER_MODULE};`,
        [`${of('unsecured')}.sasl.jaas.config`]: `${BEARER_MODULE};`,
        [`${of('oauth')}.sasl.server.callback.handler.class`]: validator,
        [`${of('brief')}.sasl.server.callback.handler.class`]: validator,
        [`${of('brief')}.connections.max.reauth.ms`]: '2000',
      },
    })
    return new OAuthBroker(provider, server)
  }

  servers(listener: OAuthListener = 'OAUTH'): string {
    return this.#server.listener(listener).join(',')
  }

  /** The properties of a client of this broker. */
  properties(changes: Readonly<Record<string, string>>): Record<string, string> {
    return {
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'OAUTHBEARER',
      'sasl.oauthbearer.token.endpoint.url': this.provider.tokenUrl,
      ...changes,
    }
  }

  client(
    changes: Readonly<Record<string, string>>,
    {
      listener = 'OAUTH',
      logger = captureLogger(),
    }: { readonly listener?: OAuthListener; readonly logger?: Logger } = {},
  ): Kafka {
    const servers = this.servers(listener)
    const options = kafkaOptionsFromProperties({ 'bootstrap.servers': servers, ...this.properties(changes) })
    return testKafka(options.bootstrapServers, { ...options, logger })
  }

  /** Forgets the requests; the provider answers with good tokens. */
  reset(): void {
    this.provider.requests.length = 0
    this.provider.answer = () => this.provider.grants()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
    await this.provider[Symbol.asyncDispose]()
  }
}

/** Connects; returns the id of the cluster. */
export async function connectOnce(kafka: Kafka): Promise<string> {
  await using admin = kafka.admin()
  return (await admin.cluster(AbortSignal.timeout(20_000))).clusterId
}
