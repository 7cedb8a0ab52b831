import { readFamilies, type MetricDefinition, type MetricFamily } from '@tributary/support'
import { historyMetrics } from './history-metrics.ts'
import type { MetricSource } from './metric-source.ts'
import { ownMetrics } from './own-metrics.ts'
import { snapshotMetrics } from './snapshot-metrics.ts'
import { streamingMetrics } from './streaming-metrics.ts'

export interface ConnectorLabels {
  /** `mysql` or `mariadb`. */
  readonly plugin: string
  /** `topic.prefix` */
  readonly name: string
  readonly connector: string
  readonly task: number
}

/** The metrics of a connector's task, with the labels of the rules that Debezium's example has for the JMX exporter. */
export function connectorFamilies(
  source: MetricSource,
  { plugin, name, connector, task }: ConnectorLabels,
): readonly MetricFamily[] {
  return [
    ...readFamilies(streamingMetrics, source, { plugin, name, context: 'streaming' }),
    ...readFamilies(snapshotMetrics, source, { plugin, name, context: 'snapshot' }),
    ...readFamilies(historyMetrics, source, { plugin, name, context: 'schema-history' }),
    ...readFamilies(ownMetrics, source, { connector, task: String(task) }),
  ]
}

/** Every metric of a connector, for the reference. */
export const connectorMetricDefinitions: {
  readonly streaming: readonly MetricDefinition[]
  readonly snapshot: readonly MetricDefinition[]
  readonly history: readonly MetricDefinition[]
  readonly own: readonly MetricDefinition[]
} = { streaming: streamingMetrics, snapshot: snapshotMetrics, history: historyMetrics, own: ownMetrics }
