import type { ConfigMap } from '@tributary/connect-api'
import {
  createKafka,
  kafkaOptionsFromProperties,
  producerOptionsFromProperties,
  type Kafka,
  type OpenSocket,
  type ProducerOptions,
} from '@tributary/kafka'
import type { Clock, Logger } from '@tributary/support'
import { isDeepStrictEqual } from 'node:util'
import { clientProperties } from '../config/client-properties.ts'
import { clientOverrides, type ClientKind } from '../config/client-settings.ts'
import { loggerNamed } from '../config/logger-names.ts'
import { overridePolicy } from '../config/override-policy.ts'
import { TopicCreation } from '../config/topic-creation.ts'
import { mayCreateTopics } from '../config/topic-creation-notes.ts'
import { runtimeErrors } from '../errors.ts'

export interface TaskClientsOptions {
  readonly workerProperties: ConfigMap
  readonly taskConfig: ConfigMap
  /** CONNECTOR-NUMBER, part of the names of the clients. */
  readonly taskId: string
  readonly mayWrite: () => boolean
  /** Default: TCP or TLS. */
  readonly openSocket?: OpenSocket | undefined
  readonly logger: Logger
  readonly clock: Clock
}

/** The clusters of a task as its clients see them: each has settings and an account of its own. */
export interface TaskClients {
  /** For the records. */
  readonly records: Kafka
  readonly producerOptions: Omit<ProducerOptions, 'onDelivered'>
  /** For topics that are looked up or created. */
  readonly topics: Kafka
  /** Null: new topics get the brokers' defaults. */
  readonly creation: TopicCreation | null
  /** For the offset topic of the worker, which is in the worker's cluster whatever the connector overrides. */
  readonly offsets: Kafka
  /** Records go to the same `bootstrap.servers` as the worker's, whatever the settings and the login of the clients. */
  readonly isWorkerCluster: boolean
  /** `bootstrap.servers` for records. */
  readonly servers: string
}

/**
 * @throws CLIENT_OVERRIDES_REFUSED when the policy of the worker no longer allows what the connector overrides, and the
 *   errors of invalid settings
 */
export function taskClients(options: TaskClientsOptions): TaskClients {
  const { workerProperties: worker, taskConfig, taskId } = options
  const creation = mayCreateTopics(worker) ? TopicCreation.of(taskConfig) : null
  const producerProperties = overridden('producer', options)
  const records = client(options, producerProperties, {
    clientId: ownClientId('producer', worker, taskConfig) ?? `connector-producer-${taskId}`,
    securitySetting: 'security.protocol of the worker, or producer.override.security.protocol of the connector,',
  })
  const admin = {
    clientId: ownClientId('admin', worker, taskConfig) ?? `connector-adminclient-${taskId}`,
    securitySetting: 'security.protocol of the worker, or admin.override.security.protocol of the connector,',
  }
  return {
    records,
    producerOptions: producerOptionsFromProperties(producerProperties),
    topics: creation === null ? records : client(options, overridden('admin', options), admin),
    creation,
    offsets: isSameClient(worker, producerProperties)
      ? records
      : client(options, worker, {
          clientId: `connector-offsets-${taskId}`,
          securitySetting: 'security.protocol of the worker',
        }),
    isWorkerCluster: isDeepStrictEqual(serversOf(producerProperties), serversOf(worker)),
    servers: producerProperties['bootstrap.servers'] ?? '',
  }
}

function serversOf(properties: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set((properties['bootstrap.servers'] ?? '').split(',').map((server) => server.trim()))
}

/** Whether one client serves both. */
function isSameClient(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  return isDeepStrictEqual(kafkaOptionsFromProperties(one), kafkaOptionsFromProperties(other))
}

function overridden(kind: ClientKind, { workerProperties, taskConfig }: TaskClientsOptions): Record<string, string> {
  const policy = overridePolicy(workerProperties)
  const refused = Object.keys(clientOverrides(kind, taskConfig)).filter((name) => !policy.allows(name))
  if (refused.length > 0) {
    const settings = refused.map((name) => `${kind}.override.${name}`).join(', ')
    throw runtimeErrors.CLIENT_OVERRIDES_REFUSED({ settings, policy: policy.name })
  }
  return clientProperties(kind, workerProperties, taskConfig)
}

/** The client.id for this kind of client alone; the worker's own `client.id` is that of its other clients. */
function ownClientId(kind: ClientKind, worker: ConfigMap, connector: ConfigMap): string | undefined {
  return connector[`${kind}.override.client.id`] ?? worker[`${kind}.client.id`]
}

function client(
  { mayWrite, openSocket, logger, clock }: TaskClientsOptions,
  properties: Readonly<Record<string, string>>,
  names: { readonly clientId: string; readonly securitySetting: string },
): Kafka {
  return createKafka({
    ...kafkaOptionsFromProperties(properties),
    ...names,
    mayWrite,
    openSocket,
    logger: logger.child(loggerNamed('clients')),
    clock,
  })
}
