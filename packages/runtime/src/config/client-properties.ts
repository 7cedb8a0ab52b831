import type { ConfigMap } from '@tributary/connect-api'
import { converterSpec, withPrefix, type ConverterSpec } from './worker-config.ts'

/**
 * The properties of a Kafka client of a connector: those of the worker (brokers, security), overridden by the worker's
 * `producer.…`, overridden by the connector's `producer.override.…` (KIP-458). Those of the client that creates topics
 * are the producer's, overridden by `admin.…` and `admin.override.…`: in Connect a login for the producer only is not
 * enough, here it is.
 */
export function clientProperties(
  client: 'producer' | 'admin',
  worker: ConfigMap,
  connector: ConfigMap,
): Record<string, string> {
  return {
    ...(client === 'admin' ? clientProperties('producer', worker, connector) : worker),
    ...withPrefix(worker, `${client}.`),
    ...withPrefix(connector, `${client}.override.`),
  }
}

/**
 * The converter of a connector: its own with its own options if it names one, otherwise the worker's with the worker's
 * options. As in Connect, options in the connector's configuration never apply to the worker's converter.
 */
export function converterOf(
  property: 'key.converter' | 'value.converter' | 'header.converter',
  ofWorker: ConverterSpec,
  connector: ConfigMap,
): ConverterSpec {
  const className = connector[property]
  return className === undefined ? ofWorker : converterSpec(property, className, connector)
}
