import { connectorMetricDefinitions } from '@tributary/connector-kit'
import { metricDefinitions } from '@tributary/runtime'
import type { MetricDefinition } from '@tributary/support'
import { code } from './markdown.ts'

/** Renders the page of all metrics from the tables that the worker itself reads them by. */
export function renderMetricsReference(): string {
  const { worker, task, producer, own, process } = metricDefinitions
  const { streaming, snapshot, history, own: ofConnectors } = connectorMetricDefinitions
  const all = [worker, task, producer, own, process, streaming, snapshot, history, ofConnectors].flat()
  const { size } = new Set(all.map(({ name }) => name))
  return `# Metrics

\`GET /metrics\` on the REST listener returns all metrics of a worker, as text of Prometheus or, to a reader that asks for
it, as OpenMetrics. This page is generated from the tables by which the worker reads them; [ADR
0047](../adr/0047-metrics.md) has the reasons, [Monitoring](../21-monitoring.md) how to use them.

There are ${size} metrics. A metric without a value is left out: those of a task exist while it runs, and those of a failed
task keep their last values until it is restarted or stopped.

## Tributary's own

${list([...own, ...ofConnectors])}

## Process

${list(process)}

## Worker and connectors, as in Kafka Connect

${list(worker)}

## Tasks, as in Kafka Connect

${list(task)}

## Stream, as in Debezium

\`plugin\` is \`mysql\` or \`mariadb\`, whose beans begin with \`debezium.mariadb\`; \`name\` is \`topic.prefix\`;
\`context\` is \`streaming\`. Attributes that are texts or lists have no metric, nor have the percentiles of
MilliSecondsBehindSource: \`tributary_commit_to_ack_seconds\` is a histogram.

${list(streaming)}

## Snapshot, as in Debezium

\`context\` is \`snapshot\`.

${list(snapshot)}

## Schema history, as in Debezium

\`context\` is \`schema-history\`.

${list(history)}

## Producers of tasks, as in Kafka's Java client

The client id is \`connector-producer-CONNECTOR-TASK\`.

${list(producer)}
`
}

function list(definitions: readonly MetricDefinition[]): string {
  return definitions.map(item).join('\n')
}

function item({ name, aliases = [], type, unit, labels, help, bean }: MetricDefinition): string {
  const kind = unit === '' ? type : `${type}, ${unit}`
  const labelled = labels.length === 0 ? '' : `; ${labels.map(code).join(', ')}`
  const also = aliases.length === 0 ? '' : ` Also ${aliases.map(code).join(', ')}.`
  const source = bean === null ? '' : ` Bean: ${code(bean)}.`
  return `- ${code(name)} (${kind}${labelled}): ${help}${also}${source}`
}
