import { atLeast, oneOfIgnoringCase, type ConfigKey } from '@tributary/connect-api'

const flag = (
  name: string,
  defaultValue: string,
  documentation: string,
  aliases: readonly string[] = [],
): ConfigKey => ({
  name,
  type: 'BOOLEAN',
  defaultValue,
  documentation,
  aliases,
})

const text = (name: string, documentation: string, aliases: readonly string[] = []): ConfigKey => ({
  name,
  type: 'STRING',
  defaultValue: null,
  documentation,
  aliases,
})

const secret = (name: string, documentation: string, aliases: readonly string[] = []): ConfigKey => ({
  ...text(name, documentation, aliases),
  type: 'PASSWORD',
})

/**
 * An option of the Java converters that would change the output and is not supported: only the value `neutral` is
 * accepted.
 */
const refused = (name: string, neutral: string | null = null): ConfigKey => ({
  ...text(name, neutral === null ? 'Not supported.' : `Not supported: only ${neutral}.`),
  defaultValue: neutral,
  validators: [(value) => (value === neutral ? null : 'this version of Tributary does not support it; remove it')],
})

const PREFIX_ID = 'io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer'

/** TLS options for both kinds of registries; Apicurio's names are aliases. */
const tlsKeys: readonly ConfigKey[] = [
  text('schema.registry.ssl.truststore.location', 'File with the certificates that are trusted (PEM).', [
    'apicurio.registry.request.ssl.truststore.location',
  ]),
  secret('schema.registry.ssl.truststore.password', 'Ignored: a PEM file has none.', [
    'apicurio.registry.request.ssl.truststore.password',
  ]),
  text('schema.registry.ssl.truststore.type', 'PEM; JKS and PKCS12 cannot be read.', [
    'apicurio.registry.request.ssl.truststore.type',
  ]),
  secret('schema.registry.ssl.truststore.certificates', 'The trusted certificates themselves, as PEM.'),
  text('schema.registry.ssl.keystore.location', 'File with certificate and key of this client (PEM or PKCS12).', [
    'apicurio.registry.request.ssl.keystore.location',
  ]),
  secret('schema.registry.ssl.keystore.password', 'Password of that file (PKCS12).', [
    'apicurio.registry.request.ssl.keystore.password',
  ]),
  text('schema.registry.ssl.keystore.type', 'PEM or PKCS12; JKS cannot be read.', [
    'apicurio.registry.request.ssl.keystore.type',
  ]),
  secret('schema.registry.ssl.key.password', 'Password of the key.', ['apicurio.registry.request.ssl.key.password']),
  {
    ...text(
      'schema.registry.ssl.endpoint.identification.algorithm',
      'Empty: the name in the certificate is not checked.',
    ),
    defaultValue: 'https',
  },
]

/** Options for registries with Confluent's interface. */
export const confluentKeys: readonly ConfigKey[] = [
  {
    name: 'schema.registry.url',
    type: 'LIST',
    defaultValue: null,
    documentation: 'Addresses of the registry, separated by commas; when one does not answer, the next one is tried.',
  },
  flag('auto.register.schemas', 'true', 'Register schemas that the registry does not have.'),
  flag(
    'use.latest.version',
    'false',
    'When auto.register.schemas is false: write with the latest version of the subject, which must have the same fields.',
  ),
  flag('latest.compatibility.strict', 'true', 'Accepted: the latest version is always compared.'),
  refused('use.schema.id', '-1'),
  refused('use.latest.with.metadata'),
  refused('key.schema.id.serializer', PREFIX_ID),
  refused('value.schema.id.serializer', PREFIX_ID),
  flag('normalize.schemas', 'false', 'Let the registry normalise schemas before it compares them.'),
  {
    ...text('basic.auth.credentials.source', 'Where the login comes from: URL or USER_INFO.', [
      'schema.registry.basic.auth.credentials.source',
    ]),
    defaultValue: 'URL',
    validators: [oneOfIgnoringCase('URL', 'USER_INFO')],
  },
  secret('basic.auth.user.info', 'User and password, `user:password`, for USER_INFO.', [
    'schema.registry.basic.auth.user.info',
  ]),
  {
    ...text('bearer.auth.credentials.source', 'STATIC_TOKEN: the login is a bearer token.'),
    validators: [(value) => (value === null ? null : oneOfIgnoringCase('STATIC_TOKEN')(value, new Map()))],
  },
  secret('bearer.auth.token', 'The token for STATIC_TOKEN.'),
  {
    ...text('key.subject.name.strategy', 'How subjects of keys are named; see value.subject.name.strategy.'),
    defaultValue: 'io.confluent.kafka.serializers.subject.TopicNameStrategy',
  },
  {
    ...text(
      'value.subject.name.strategy',
      'How subjects of values are named: TopicNameStrategy (`<topic>-value`), RecordNameStrategy or TopicRecordNameStrategy.',
    ),
    defaultValue: 'io.confluent.kafka.serializers.subject.TopicNameStrategy',
  },
  {
    name: 'http.read.timeout.ms',
    type: 'INT',
    defaultValue: '60000',
    validators: [atLeast(1)],
    documentation: 'Time limit for the answer of one address.',
  },
  ...tlsKeys,
]

/** Options for Apicurio Registry's own interface. */
export const apicurioKeys: readonly ConfigKey[] = [
  refused('apicurio.registry.artifact.version'),
  {
    name: 'apicurio.registry.url',
    type: 'LIST',
    defaultValue: null,
    documentation:
      'Addresses of Apicurio Registry 3, separated by commas; `/apis/registry/v3` is appended to an address without a path.',
  },
  flag('apicurio.registry.auto-register', 'false', 'Register schemas that the registry does not have.', [
    'apicurio.registry.auto.register',
  ]),
  flag('apicurio.registry.find-latest', 'false', 'Write with the latest version, which must have the same fields.', [
    'apicurio.registry.find.latest',
  ]),
  {
    ...text('apicurio.registry.auto-register.if-exists', 'What to do when the artifact exists.', [
      'apicurio.registry.auto.register.if.exists',
    ]),
    defaultValue: 'FIND_OR_CREATE_VERSION',
    validators: [oneOfIgnoringCase('FAIL', 'CREATE_VERSION', 'FIND_OR_CREATE_VERSION')],
  },
  flag(
    'apicurio.registry.dereference-schema',
    'false',
    'Register each schema whole. Otherwise the records within it become artifacts of their own, to which it refers.',
    ['apicurio.registry.dereference.schema'],
  ),
  text('apicurio.registry.artifact.group-id', 'Group of all artifacts; by default the strategy determines it.', [
    'apicurio.registry.artifact.group.id',
  ]),
  text('apicurio.registry.artifact.artifact-id', 'Name of the only artifact; by default the strategy determines it.'),
  {
    ...text(
      'apicurio.registry.artifact-resolver-strategy',
      'How artifacts are named: TopicIdStrategy (`<topic>-value`), SimpleTopicIdStrategy, RecordIdStrategy, QualifiedRecordIdStrategy or TopicRecordIdStrategy.',
      ['apicurio.registry.artifact.resolver.strategy'],
    ),
    defaultValue: 'io.apicurio.registry.serde.strategy.TopicIdStrategy',
  },
  {
    ...text('apicurio.registry.use-id', 'Which id is written before values: contentId or globalId.'),
    defaultValue: 'contentId',
    validators: [oneOfIgnoringCase('contentId', 'globalId')],
  },
  {
    ...text('apicurio.registry.id-handler', 'Length of the id: Default4ByteIdHandler or Legacy8ByteIdHandler.'),
    defaultValue: 'io.apicurio.registry.serde.Default4ByteIdHandler',
    validators: [
      (value) =>
        /\b(Default4Byte|Legacy8Byte)IdHandler$/.test(String(value)) ? null : 'it is not one of the two handlers',
    ],
  },
  flag('apicurio.registry.headers.enabled', 'false', 'Write the id to a header of the record, not before the value.'),
  text('apicurio.registry.auth.username', 'User, for basic login.'),
  secret('apicurio.registry.auth.password', 'Password, for basic login.'),
  {
    ...text('apicurio.registry.auth.service.token.endpoint', 'Not supported: OAuth.'),
    validators: [(value) => (value === null ? null : 'OAuth is not supported yet; use a user and a password')],
  },
]
