import { kafkaErrors } from '../api/errors.ts'
import type { PasswordLogin, SaslOptions } from '../api/kafka.ts'
import { awsIamLogin } from './aws-iam-properties.ts'
import { parseJaasConfig, type JaasEntry } from './jaas-config.ts'
import { bearerLogin } from './oauth-properties.ts'
import type { PropertyReader } from './property-reader.ts'

const PLAIN_MODULE = 'org.apache.kafka.common.security.plain.PlainLoginModule'
const SCRAM_MODULE = 'org.apache.kafka.common.security.scram.ScramLoginModule'
const BEARER_MODULE = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule'
const IAM_MODULE = 'software.amazon.msk.auth.iam.IAMLoginModule'

/** Classes that do what this client does by itself. */
const OWN_CALLBACK_HANDLERS = ['software.amazon.msk.auth.iam.IAMClientCallbackHandler']

/** Reads sasl.* for a protocol with SASL. Throws SETTING_MISSING, SETTING_INVALID or SETTING_UNSUPPORTED. */
export function saslOptions(reader: PropertyReader, protocol: string): SaslOptions {
  const instead = 'Remove it: Tributary logs in by sasl.mechanism and sasl.jaas.config.'
  const reason = 'Tributary runs no Java classes'
  reader.refuse('sasl.client.callback.handler.class', { unless: OWN_CALLBACK_HANDLERS, reason, instead })
  reader.refuse('sasl.login.class', { unless: [], reason, instead })
  const mechanism = reader.text('sasl.mechanism')
  switch (mechanism) {
    case 'PLAIN':
      return passwordLogin(reader, { mechanism, protocol, modules: [PLAIN_MODULE, SCRAM_MODULE] })
    case 'SCRAM-SHA-256':
    case 'SCRAM-SHA-512':
      return passwordLogin(reader, { mechanism, protocol, modules: [SCRAM_MODULE] })
    case 'OAUTHBEARER':
      return bearerLogin(reader, optionsOf(reader, mechanism, [BEARER_MODULE]))
    case 'AWS_MSK_IAM':
      return awsIamLogin(reader, optionsOf(reader, mechanism, [IAM_MODULE]))
    case undefined:
      // Java's default is GSSAPI (Kerberos).
      throw kafkaErrors.SETTING_MISSING({
        name: 'sasl.mechanism',
        why: '; its default GSSAPI (Kerberos) is not supported',
      })
    default:
      throw kafkaErrors.SETTING_UNSUPPORTED({
        name: 'sasl.mechanism',
        value: mechanism,
        reason: 'Tributary supports PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER and AWS_MSK_IAM',
        instead: 'Use one of these, or a client certificate (security.protocol=SSL with ssl.keystore.*).',
      })
  }
}

interface PasswordSettings {
  readonly mechanism: PasswordLogin['mechanism']
  readonly protocol: string
  readonly modules: readonly string[]
}

function passwordLogin(reader: PropertyReader, { mechanism, protocol, modules }: PasswordSettings): PasswordLogin {
  reader.refuse('sasl.login.callback.handler.class', {
    unless: [],
    reason: 'Tributary runs no Java classes',
    instead: 'Set username and password in sasl.jaas.config, or a reference to a config provider there.',
  })
  const config = reader.text('sasl.jaas.config')
  if (config === undefined) {
    throw kafkaErrors.SETTING_MISSING({ name: 'sasl.jaas.config', why: `, which security.protocol=${protocol} needs` })
  }
  const { options } = entryOf(config, mechanism, modules)
  const username = options.get('username')
  const password = options.get('password')
  if (username === undefined || password === undefined || options.get('tokenauth') === 'true') {
    const reason = 'username="…" and password="…" are expected (delegation tokens are not supported)'
    throw kafkaErrors.SETTING_INVALID({ name: 'sasl.jaas.config', value: '(hidden)', reason })
  }
  return { mechanism, username, password }
}

/** The options of the login module; none without `sasl.jaas.config`. */
function optionsOf(reader: PropertyReader, mechanism: string, modules: readonly string[]): ReadonlyMap<string, string> {
  const config = reader.text('sasl.jaas.config')
  return config === undefined || config === '' ? new Map() : entryOf(config, mechanism, modules).options
}

function entryOf(config: string, mechanism: string, modules: readonly string[]): JaasEntry {
  const entry = parseJaasConfig(config)
  // Some distributions have the classes of Kafka in a package of their own: kafkashaded.org.apache.kafka.…
  const isExpected = modules.some((name) => entry.loginModule === name || entry.loginModule.endsWith(`.${name}`))
  if (isExpected) return entry
  const reason = `the login module of ${mechanism} is ${modules[0] ?? ''}`
  throw kafkaErrors.SETTING_INVALID({ name: 'sasl.jaas.config', value: entry.loginModule, reason })
}
