import type { Clock, Logger } from '@tributary/support'
import type { Admin } from './admin.ts'
import type { Producer, ProducerOptions } from './producer.ts'
import type { TopicReader, TopicReaderOptions } from './topic-reader.ts'

export interface TlsOptions {
  /** PEM text of the certificates to trust; the system's when absent. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  /** False: the host name of the certificate is not compared (ssl.endpoint.identification.algorithm empty). */
  readonly checkHostName?: boolean
}

export interface SaslOptions {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly username: string
  readonly password: string
}

export interface KafkaOptions {
  /** `host:port`, at least one. */
  readonly bootstrapServers: readonly string[]
  /** Where a person has set them, for messages; default `bootstrap.servers`. */
  readonly serversSetting?: string
  /** Names the client in the brokers' logs and quotas. */
  readonly clientId: string
  readonly tls?: TlsOptions
  readonly sasl?: SaslOptions
  readonly requestTimeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly metadataMaxAgeMs?: number
  readonly logger: Logger
  readonly clock: Clock
}

/** A Kafka cluster. Clients are made from it and closed one by one; each has its own connections. */
export interface Kafka {
  /** Waits until the cluster has given the producer its id. */
  producer(options: ProducerOptions, signal?: AbortSignal): Promise<Producer>
  reader(options: TopicReaderOptions, signal?: AbortSignal): Promise<TopicReader>
  admin(): Admin
}
