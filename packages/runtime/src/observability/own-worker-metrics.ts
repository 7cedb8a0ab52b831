import type { MetricRow } from '@tributary/support'
import type { ConnectorTaskRestarts } from '../herder/reconcile/connector-condition.ts'
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
    name: 'tributary_task_restarts_total',
    type: 'counter',
    help: 'How often the worker has started the task again by itself after a failure, since the worker was started.',
    unit: '',
    labels: ['connector', 'task'],
    bean: null,
    read: (n) => n.taskRestarts.map((each) => ({ labels: labelsOf(each), value: each.restarts })),
  },
  {
    name: 'tributary_task_problem_seconds',
    type: 'gauge',
    help: 'How long the task has had a problem that it or the worker retries, or for which it has failed; 0 without a problem. `GET /connectors/{connector}/health` describes the problem.',
    unit: 'seconds',
    labels: ['connector', 'task'],
    bean: null,
    read: (n) => n.taskRestarts.map((each) => ({ labels: labelsOf(each), value: each.problemMs / 1_000 })),
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

function labelsOf({ connector, task }: ConnectorTaskRestarts): Readonly<Record<string, string>> {
  return { connector, task: String(task) }
}
