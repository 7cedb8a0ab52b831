import type { Clock, Logger } from '@tributary/support'
import type { Admin } from './admin.ts'
import type { OpenSocket } from './broker-socket.ts'
import type { CodecReader } from './codec-reader.ts'
import type { GroupClient, GroupOptions } from './group.ts'
import type { Producer, ProducerOptions } from './producer.ts'
import type { RefreshWindow, TokenSettings } from './token-settings.ts'
import type { TlsOptions } from './tls-options.ts'
import type { TopicReader, TopicReaderOptions } from './topic-reader.ts'
import type { TransactionalProducer, TransactionalProducerOptions } from './transactional-producer.ts'

/** How the client logs in. */
export type SaslOptions = PasswordLogin | TokenLogin

export interface PasswordLogin {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly username: string
  readonly password: string
}

/** A login with tokens, which the client obtains and renews. */
export interface TokenLogin {
  readonly mechanism: 'OAUTHBEARER'
  readonly tokens: TokenSettings
  /** Sent to the broker beside each token (KIP-342). */
  readonly extensions: Readonly<Record<string, string>>
  readonly refresh: RefreshWindow
}

export interface KafkaOptions {
  /** `host:port`, at least one. */
  readonly bootstrapServers: readonly string[]
  /** The setting that holds them, for error messages. Default `bootstrap.servers`. */
  readonly serversSetting?: string
  /** The setting that encrypts the connections, for messages. Default `security.protocol`. */
  readonly securitySetting?: string
  /** The name of the client in the brokers' logs and quotas. */
  readonly clientId: string
  readonly tls?: TlsOptions
  readonly sasl?: SaslOptions
  readonly requestTimeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly metadataMaxAgeMs?: number
  /**
   * Asked before each Produce request. While it returns false, producers send nothing and do not fail; requests that
   * were not answered by then are dropped and sent again later with the same sequence numbers. Default: always.
   */
  readonly mayWrite?: () => boolean
  /** Opens the connections to brokers. Default: TCP, and TLS with `tls`. */
  readonly openSocket?: OpenSocket | undefined
  readonly logger: Logger
  readonly clock: Clock
}

/** A Kafka cluster. Creates clients, each with connections of its own; the caller closes each of them. */
export interface Kafka {
  /** Resolves when the cluster has assigned a producer id. */
  producer(options: ProducerOptions, signal?: AbortSignal): Promise<Producer>
  /** Resolves when the cluster has fenced the producer that had the transactional id before. */
  transactionalProducer(options: TransactionalProducerOptions, signal?: AbortSignal): Promise<TransactionalProducer>
  reader(options: TopicReaderOptions, signal?: AbortSignal): Promise<TopicReader>
  admin(): Admin
  codecReader(): CodecReader
  group(options: GroupOptions): GroupClient
}
