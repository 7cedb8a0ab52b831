import type { ConfigMap } from '@tributary/connect-api'
import type { Kafka } from '@tributary/kafka'
import type { Clock, Logger } from '@tributary/support'
import { converterOf } from '../config/client-properties.ts'
import { parseWorkerConfig, type ConverterSpec } from '../config/worker-config.ts'
import { taskClients } from '../task/task-clients.ts'

export interface ShadowClientOptions {
  readonly connectorName: string
  /** With the values of references. */
  readonly workerProperties: ConfigMap
  readonly taskConfig: ConfigMap
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * The cluster that a connector's records are in, as its producer would reach it. No client of it may write.
 *
 * @throws CLIENT_OVERRIDES_REFUSED and the errors of invalid settings
 */
export function recordsCluster({ connectorName, ...options }: ShadowClientOptions): Kafka {
  return taskClients({ ...options, taskId: `${connectorName}-rehearsal`, mayWrite: () => false }).records
}

/** The converters of a connector, its own or the worker's. */
export function shadowConverters(
  workerProperties: ConfigMap,
  taskConfig: ConfigMap,
): { readonly key: ConverterSpec; readonly value: ConverterSpec } {
  const { keyConverter, valueConverter } = parseWorkerConfig(workerProperties)
  return {
    key: converterOf('key.converter', keyConverter, taskConfig),
    value: converterOf('value.converter', valueConverter, taskConfig),
  }
}
