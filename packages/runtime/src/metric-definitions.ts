import type { MetricDefinition } from '@tributary/support'
import { connectWorkerMetrics } from './observability/connect-worker-metrics.ts'
import { lossMetrics } from './observability/loss-metrics.ts'
import { ownWorkerMetrics } from './observability/own-worker-metrics.ts'
import { processMetrics } from './observability/process-metrics.ts'
import { connectTaskMetrics } from './task/metrics/connect-task-metrics.ts'
import { ownTaskMetrics } from './task/metrics/own-task-metrics.ts'
import { producerMetrics } from './task/metrics/producer-metrics.ts'

/** Every metric of the runtime, for the reference. Connectors have further ones. */
export const metricDefinitions: {
  readonly worker: readonly MetricDefinition[]
  readonly task: readonly MetricDefinition[]
  readonly producer: readonly MetricDefinition[]
  readonly own: readonly MetricDefinition[]
  readonly process: readonly MetricDefinition[]
} = {
  worker: connectWorkerMetrics,
  task: connectTaskMetrics,
  producer: producerMetrics,
  own: [...ownWorkerMetrics, ...lossMetrics, ...ownTaskMetrics],
  process: processMetrics,
}
