import tls, { createSecureContext, rootCertificates } from 'node:tls'
import { tlsFailureText, toError } from '@tributary/support'
import type { Kafka, KafkaOptions, TlsOptions } from './api/kafka.ts'
import { kafkaErrors } from './api/errors.ts'
import { ClusterAdmin } from './admin/cluster-admin.ts'
import type { ClusterContext } from './cluster/cluster.ts'
import { unencryptedWarning } from './network/unencrypted-warning.ts'
import { CoordinatedGroup } from './group/coordinated-group.ts'
import type { Endpoint, TlsClient } from './network/socket.ts'
import { startProducer } from './producer/idempotent-producer.ts'
import { openLogReader } from './reader/log-reader.ts'

/** Java's defaults: socket.connection.setup.timeout.ms, request.timeout.ms, metadata.max.age.ms. */
const CONNECT_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const METADATA_MAX_AGE_MS = 300_000

/**
 * A Kafka cluster from which the caller creates clients. Clients connect when they need to. Throws SETTING_INVALID for
 * an invalid address or certificate.
 */
export function createKafka(options: KafkaOptions): Kafka {
  const context = clusterContext(options)
  return {
    producer: (producerOptions, signal) => startProducer(context, producerOptions, signal),
    reader: (readerOptions, signal) => openLogReader(context, readerOptions, signal),
    admin: () => new ClusterAdmin(context),
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
      sasl,
      onUnencrypted: unencryptedWarning({ sasl, setting, logger }),
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      clock,
    },
    metadataMaxAgeMs: options.metadataMaxAgeMs ?? METADATA_MAX_AGE_MS,
    mayWrite: options.mayWrite ?? (() => true),
    logger,
    clock,
    announcedTopics: new Set(),
  }
}

/** The certificates bundled with Node and those of the system, which Node reads since 22.15. */
function defaultAuthorities(): string[] {
  const { getCACertificates } = tls as { readonly getCACertificates?: typeof tls.getCACertificates }
  if (getCACertificates === undefined) return [...rootCertificates]
  return [...getCACertificates('bundled'), ...getCACertificates('system')]
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

function passwordNote({ passphrase }: TlsOptions): string {
  return passphrase === undefined ? 'ssl.key.password is not set' : 'ssl.key.password is set'
}

function tlsClient(options: TlsOptions): TlsClient {
  const { ca, cert, key, passphrase, checkHostName = true, minVersion, maxVersion } = options
  try {
    const context = createSecureContext({
      ca: ca ?? defaultAuthorities(),
      // As in Java, each certificate of the trust store is trusted, also one that another authority has signed.
      allowPartialTrustChain: ca !== undefined,
      minVersion,
      maxVersion,
      cert,
      key,
      passphrase,
    })
    return { context, checkHostName }
  } catch (thrown) {
    const reason = `OpenSSL cannot use its key or certificate (${tlsFailureText(toError(thrown))}; ${passwordNote(options)})`
    throw kafkaErrors.SETTING_INVALID({ name: 'ssl.keystore.*', value: '(PEM)', reason }, thrown)
  }
}
