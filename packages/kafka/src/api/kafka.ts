import type { Clock, Logger } from '@tributary/support'
import type { Admin } from './admin.ts'
import type { GroupClient, GroupOptions } from './group.ts'
import type { Producer, ProducerOptions } from './producer.ts'
import type { TopicReader, TopicReaderOptions } from './topic-reader.ts'

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3'

export interface TlsOptions {
  /** Trusted certificates as PEM text. Default: those of Node and of the system. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  /** False: does not compare the host name with the certificate (ssl.endpoint.identification.algorithm empty). */
  readonly checkHostName?: boolean
  /** Default: TLS 1.2 and 1.3. */
  readonly minVersion?: TlsVersion
  readonly maxVersion?: TlsVersion
}

export interface SaslOptions {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly username: string
  readonly password: string
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
  readonly logger: Logger
  readonly clock: Clock
}

/** A Kafka cluster. Creates clients, each with connections of its own; the caller closes each of them. */
export interface Kafka {
  /** Resolves when the cluster has assigned a producer id. */
  producer(options: ProducerOptions, signal?: AbortSignal): Promise<Producer>
  reader(options: TopicReaderOptions, signal?: AbortSignal): Promise<TopicReader>
  admin(): Admin
  group(options: GroupOptions): GroupClient
}
