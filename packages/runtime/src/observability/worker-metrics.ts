import { readFamilies, type MetricFamily } from '@tributary/support'
import type { DistributedHerder } from '../herder/distributed-herder.ts'
import { HerderError } from '../herder/herder-error.ts'
import type { Lease } from '../lease/lease.ts'
import type { TaskMeasurement } from '../worker/task-measurements.ts'
import { connectWorkerMetrics } from './connect-worker-metrics.ts'
import { METRICS_WAIT_MS, type MetricsSource } from './metrics-registry.ts'
import { ownWorkerMetrics } from './own-worker-metrics.ts'
import type { ConnectorNumbers, WorkerNumbers } from './worker-numbers.ts'

export interface WorkerMetricsOptions {
  readonly herder: Pick<
    DistributedHerder,
    'connectorNames' | 'connectorStatus' | 'connectorConfig' | 'measure' | 'reportsConnector'
  >
  readonly lease: Pick<Lease, 'isHeld'>
}

/** The metrics of connectors and tasks. */
export class WorkerMetrics implements MetricsSource {
  readonly #options: WorkerMetricsOptions

  constructor(options: WorkerMetricsOptions) {
    this.#options = options
  }

  async families(): Promise<readonly MetricFamily[]> {
    const { herder, lease } = this.#options
    const measurement = await herder.measure(METRICS_WAIT_MS)
    const all = this.#connectors()
    const tasks = measurement.tasks.filter((task) => task.isRunning || isFailed(task, all))
    const connectors = all.filter(({ status }) => herder.reportsConnector(status.name))
    const numbers: WorkerNumbers = { ...measurement, tasks, connectors, isLeaseHeld: lease.isHeld }
    return [
      ...readFamilies(connectWorkerMetrics, numbers, {}),
      ...readFamilies(ownWorkerMetrics, numbers, {}),
      ...tasks.flatMap(({ metrics }) => metrics.families),
    ]
  }

  #connectors(): readonly ConnectorNumbers[] {
    const { herder } = this.#options
    return herder.connectorNames().flatMap((name) => {
      try {
        const { 'connector.class': className = '' } = herder.connectorConfig(name)
        return [{ className, status: herder.connectorStatus(name) }]
      } catch (error) {
        // It was just created: its status follows.
        if (error instanceof HerderError) return []
        throw error
      }
    })
  }
}

/** Numbers of a failed task are shown for as long as its status is, so not when its connector was deleted. */
function isFailed({ connectorName, taskNumber }: TaskMeasurement, connectors: readonly ConnectorNumbers[]): boolean {
  const connector = connectors.find(({ status }) => status.name === connectorName)
  return connector?.status.tasks.some(({ id, state }) => id === taskNumber && state !== 'PAUSED') === true
}
