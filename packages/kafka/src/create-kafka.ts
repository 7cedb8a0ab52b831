import type { Kafka, KafkaOptions, SaslOptions } from './api/kafka.ts'
import { kafkaErrors } from './api/errors.ts'
import { ClusterAdmin } from './admin/cluster-admin.ts'
import type { ClusterContext } from './cluster/cluster.ts'
import { usualSystemBuffer } from './network/request-writer.ts'
import { unencryptedWarning } from './network/unencrypted-warning.ts'
import { CoordinatedGroup } from './group/coordinated-group.ts'
import { createTokenSource } from './login/create-token-source.ts'
import type { SaslLogin } from './network/sasl-exchange.ts'
import type { Endpoint } from './network/socket.ts'
import { tlsClient } from './network/tls-context.ts'
import { startProducer } from './producer/idempotent-producer.ts'
import { startTransactionalProducer } from './producer/transactional-producer.ts'
import { ClusterCodecReader } from './reader/last-codecs.ts'
import { openLogReader } from './reader/log-reader.ts'

/** Java's defaults: socket.connection.setup.timeout.ms, request.timeout.ms, metadata.max.age.ms. */
const CONNECT_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const METADATA_MAX_AGE_MS = 300_000

/**
 * A Kafka cluster from which the caller creates clients. Clients connect when they need to. Throws SETTING_INVALID for
 * an invalid address or certificate, or AWS_SIGNER_MISSING.
 */
export function createKafka(options: KafkaOptions): Kafka {
  const context = clusterContext(options)
  return {
    producer: (producerOptions, signal) => startProducer(context, producerOptions, signal),
    transactionalProducer: (producerOptions, signal) => startTransactionalProducer(context, producerOptions, signal),
    reader: (readerOptions, signal) => openLogReader(context, readerOptions, signal),
    admin: () => new ClusterAdmin(context),
    codecReader: () => new ClusterCodecReader(context),
    group: (groupOptions) => new CoordinatedGroup(context, groupOptions),
  }
}

/** The settings and state that the clients of a cluster share. */
export function clusterContext(options: KafkaOptions): ClusterContext {
  const { clientId, logger, clock, serversSetting = 'bootstrap.servers' } = options
  const { sasl = null, securitySetting: setting = 'security.protocol' } = options
  if (options.bootstrapServers.length === 0) throw kafkaErrors.SETTING_MISSING({ name: serversSetting, why: '' })
  return {
    bootstrapServers: options.bootstrapServers.map((address) => parseEndpoint(address, serversSetting)),
    serversSetting,
    login: {
      clientId,
      tls: options.tls === undefined ? null : tlsClient(options.tls),
      sasl: sasl === null ? null : saslLogin(sasl, options),
      systemBuffer: usualSystemBuffer(),
      onUnencrypted: unencryptedWarning({ sasl, setting, logger }),
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      clock,
      openSocket: options.openSocket,
    },
    metadataMaxAgeMs: options.metadataMaxAgeMs ?? METADATA_MAX_AGE_MS,
    mayWrite: options.mayWrite ?? (() => true),
    logger,
    clock,
    announcedTopics: new Set(),
  }
}

/** `host:port`, with an IPv6 address in brackets. */
function parseEndpoint(address: string, setting: string): Endpoint {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s]+)):(\d{1,5})$/.exec(address.trim())
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port < 1 || port > 65_535) {
    const reason = 'it is not an address of the form host:port'
    throw kafkaErrors.SETTING_INVALID({ name: setting, value: address, reason })
  }
  return { host, port }
}

function saslLogin(sasl: SaslOptions, { clock, logger }: KafkaOptions): SaslLogin {
  if (sasl.mechanism !== 'OAUTHBEARER') return sasl
  const { mechanism, extensions } = sasl
  return { mechanism, extensions, source: createTokenSource(sasl, { clock, logger }) }
}
