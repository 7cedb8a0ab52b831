import type { MetricReading, MetricRow } from '@tributary/support'
import type { ConnectorNumbers } from './connector-numbers.ts'

/** What the metrics of a connector are read from. */
export interface MetricSource {
  readonly nowMs: number
  readonly numbers: ConnectorNumbers
  /** Bytes of records in flight, and their limit; null: unknown. */
  readonly queue: { readonly bytes: number; readonly bytesMax: number } | null
  /** `max.queue.size` of the connector. */
  readonly queueSize: number
  /** Counts by name, of parts that count rarely. */
  count(name: string): number
}

/** Makes the rows of a bean of Debezium. The rules of its example have the names of the attributes. */
export function debeziumRow(
  context: 'snapshot' | 'streaming' | 'schema-history',
): (attribute: string, help: string, read: (source: MetricSource) => MetricReading) => MetricRow<MetricSource> {
  return (attribute, help, read) => ({
    name: `debezium_metrics_${attribute}`,
    type: 'gauge',
    help,
    unit: /^MilliSeconds|Milliseconds/.test(attribute) ? 'milliseconds' : attribute.endsWith('Bytes') ? 'bytes' : '',
    labels: ['plugin', 'name', 'context'],
    bean: `debezium.mysql:type=connector-metrics,context=${context} ${attribute}`,
    read,
  })
}

export function flag(isSet: boolean): number {
  return isSet ? 1 : 0
}

/** -1 without a moment, as in Debezium. */
export function since(momentMs: number | null, nowMs: number): number {
  return momentMs === null ? -1 : Math.max(0, nowMs - momentMs)
}
