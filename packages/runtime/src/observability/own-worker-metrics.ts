import type { MetricRow } from '@tributary/support'
import type { WorkerNumbers } from './worker-numbers.ts'

/** Metrics of a worker that Kafka Connect does not have. */
export const ownWorkerMetrics: readonly MetricRow<WorkerNumbers>[] = [
  {
    name: 'tributary_lease_held',
    type: 'gauge',
    help: '1 while this worker is certain to be the only one of its group; while 0 its tasks write nothing.',
    unit: '',
    labels: [],
    bean: null,
    read: (n) => (n.isLeaseHeld ? 1 : 0),
  },
  {
    name: 'tributary_task_metrics_age_seconds',
    type: 'gauge',
    help: 'How old the numbers of the task are. More than 5 s: the thread of the task is blocked, or the task has failed and these are its last numbers.',
    unit: 'seconds',
    labels: ['connector', 'task'],
    bean: null,
    read: (n) =>
      n.tasks.map(({ connectorName, taskNumber, ageMs }) => ({
        labels: { connector: connectorName, task: String(taskNumber) },
        value: ageMs / 1_000,
      })),
  },
]
