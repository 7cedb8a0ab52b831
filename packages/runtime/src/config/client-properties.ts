import type { ConfigMap } from '@tributary/connect-api'
import { converterSpec, withPrefix, type ConverterSpec } from './worker-config.ts'

/**
 * Properties of a Kafka client that works for a connector: the worker's own (brokers, security), over them the worker's
 * `producer.…`, over them the connector's `producer.override.…` (KIP-458).
 */
export function clientProperties(
  client: 'producer' | 'admin',
  worker: ConfigMap,
  connector: ConfigMap,
): Record<string, string> {
  return {
    ...worker,
    ...withPrefix(worker, `${client}.`),
    ...withPrefix(connector, `${client}.override.`),
  }
}

/**
 * The converter of a connector: its own with its own options when it names one, else the worker's with the worker's options.
 * Options that stand alone in the connector do not reach the worker's converter, as in Connect.
 */
export function converterOf(
  property: 'key.converter' | 'value.converter' | 'header.converter',
  ofWorker: ConverterSpec,
  connector: ConfigMap,
): ConverterSpec {
  const className = connector[property]
  return className === undefined ? ofWorker : converterSpec(property, className, connector)
}
