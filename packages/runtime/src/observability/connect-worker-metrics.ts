import type { ConnectorState, TaskState } from '@tributary/rest-api'
import type { MetricRow, MetricSample } from '@tributary/support'
import { jmxNames } from '../task/metrics/connect-names.ts'
import { beanRows } from '../task/metrics/connect-row.ts'
import type { ConnectorNumbers, WorkerNumbers } from './worker-numbers.ts'

const worker = beanRows<WorkerNumbers>('connect', 'connect-worker-metrics', [])
const ofConnector = beanRows<WorkerNumbers>('connect', 'connect-worker-metrics', ['connector'])

/** The beans of Kafka Connect for a worker, and the states of its connectors and tasks. */
export const connectWorkerMetrics: readonly MetricRow<WorkerNumbers>[] = [
  worker('connector-count', 'Connectors of this worker.', (n) => n.connectors.length),
  worker('task-count', 'Tasks that run on this worker.', (n) => n.tasks.filter(({ isRunning }) => isRunning).length),
  worker(
    'connector-startup-attempts-total',
    'Starts of connectors since the start of the worker.',
    (n) => n.connectorStarts.attempts,
  ),
  worker('connector-startup-success-total', 'Starts of connectors that succeeded.', (n) => n.connectorStarts.succeeded),
  worker(
    'connector-startup-success-percentage',
    'The part of the starts of connectors that succeeded, from 0 to 1.',
    (n) => n.connectorStarts.successShare,
  ),
  worker('connector-startup-failure-total', 'Starts of connectors that failed.', (n) => n.connectorStarts.failed),
  worker(
    'connector-startup-failure-percentage',
    'The part of the starts of connectors that failed, from 0 to 1.',
    (n) => n.connectorStarts.failureShare,
  ),
  worker(
    'task-startup-attempts-total',
    'Starts of tasks since the start of the worker, automatic restarts included.',
    (n) => n.taskStarts.attempts,
  ),
  worker('task-startup-success-total', 'Starts of tasks that succeeded.', (n) => n.taskStarts.succeeded),
  worker(
    'task-startup-success-percentage',
    'The part of the starts of tasks that succeeded, from 0 to 1.',
    (n) => n.taskStarts.successShare,
  ),
  worker('task-startup-failure-total', 'Starts of tasks that failed.', (n) => n.taskStarts.failed),
  worker(
    'task-startup-failure-percentage',
    'The part of the starts of tasks that failed, from 0 to 1.',
    (n) => n.taskStarts.failureShare,
  ),
  ofConnector('connector-total-task-count', 'Tasks of the connector.', (n) => n.connectors.map(taskCount(null))),
  ...(['RUNNING', 'PAUSED', 'FAILED', 'UNASSIGNED', 'RESTARTING'] as const).map((state) =>
    ofConnector(`connector-${state.toLowerCase()}-task-count`, `Tasks of the connector in the state ${state}.`, (n) =>
      n.connectors.map(taskCount(state)),
    ),
  ),
  ofConnector('connector-destroyed-task-count', 'Always 0: the status of a removed task is removed with it.', (n) =>
    n.connectors.map(({ status }) => ({ labels: { connector: status.name }, value: 0 })),
  ),
  stateRow('connector-metrics', 'status')(
    'The state of the connector, in lower case, as a label; the value is 1.',
    ['connector', 'status'],
    (n) => n.connectors.map(({ status }) => one({ connector: status.name, status: lower(status.connector.state) })),
  ),
  stateRow('connector-metrics', 'connector-type')(
    'The type of the connector as a label; the value is 1.',
    ['connector', 'connector_type'],
    (n) => n.connectors.map(({ status }) => one({ connector: status.name, connector_type: status.type })),
  ),
  stateRow('connector-metrics', 'connector-class')(
    'The class of the connector as a label; the value is 1.',
    ['connector', 'connector_class'],
    (n) => n.connectors.map(({ status, className }) => one({ connector: status.name, connector_class: className })),
  ),
  stateRow('connector-metrics', 'connector-version')(
    'The version of the connector as a label; the value is 1.',
    ['connector', 'connector_version'],
    (n) =>
      n.connectors.flatMap(({ status }) => {
        const { version } = status.connector
        return version === null ? [] : [one({ connector: status.name, connector_version: version })]
      }),
  ),
  // The rule of the JMX exporter has a name of its own for it.
  {
    ...stateRow('connector-task-metrics', 'status')(
      'The state of the task, in lower case, as a label; the value is 1.',
      ['connector', 'task', 'status'],
      (n) => n.connectors.flatMap(taskStates),
    ),
    name: 'kafka_connect_connector_task_status',
    aliases: [],
  },
]

function stateRow(
  type: string,
  attribute: string,
): (
  help: string,
  labels: readonly string[],
  read: (numbers: WorkerNumbers) => readonly MetricSample[],
) => MetricRow<WorkerNumbers> {
  const { name, bean } = jmxNames('connect', type, attribute)
  return (help, labels, read) => ({ name, bean, type: 'gauge', help, unit: '', labels, read })
}

function taskStates({ status }: ConnectorNumbers): readonly MetricSample[] {
  return status.tasks.map(({ id, state }) => one({ connector: status.name, task: String(id), status: lower(state) }))
}

/** `state` null: of any state. */
function taskCount(state: TaskState | null): (connector: ConnectorNumbers) => MetricSample {
  return ({ status }) => ({
    labels: { connector: status.name },
    value: status.tasks.filter((task) => state === null || task.state === state).length,
  })
}

function lower(state: ConnectorState): string {
  return state.toLowerCase()
}

function one(labels: MetricSample['labels']): MetricSample {
  return { labels, value: 1 }
}
