import type { ConnectorHealth, ConnectorStateInfo, HealthProblem, TaskHealth, TaskStatus } from '@tributary/rest-api'
import type { OngoingOutage } from '@tributary/support'
import type { ConnectorCondition, FailureRow, TaskCondition } from './reconcile/connector-condition.ts'

/** The tasks in a connector's health. */
export type TasksHealth = Pick<ConnectorHealth, 'problem' | 'tasks'>

/**
 * Joins the stored statuses, which all workers have, with the condition of the tasks that this worker runs.
 *
 * @param status null: no status was reported yet
 */
export function tasksHealth(status: ConnectorStateInfo | null, condition: ConnectorCondition): TasksHealth {
  if (status === null) return { problem: null, tasks: [] }
  const { connector, tasks } = status
  const { row } = condition
  const ofTrace = connector.state === 'FAILED' ? problemOfTrace(connector.trace) : null
  return {
    problem: row === null ? ofTrace : problemOfRow(row),
    tasks: tasks.map((task) => taskHealth(task, condition.tasks.find((each) => each.task === task.id) ?? null)),
  }
}

function taskHealth({ id, state, trace }: TaskStatus, known: TaskCondition | null): TaskHealth {
  const row = known?.row ?? null
  const problems = (known?.outages ?? []).map(problemOfOutage)
  if (state === 'PAUSED') return { id, state, condition: 'paused', problems: [] }
  if (known === null) {
    const isFailed = state === 'FAILED'
    const left = problemOfTrace(trace)
    return { id, state, condition: isFailed ? 'failed' : 'unknown', problems: isFailed && left !== null ? [left] : [] }
  }
  if (row !== null) {
    const condition = known.state === 'failed' ? 'failed' : 'restarting'
    return { id, state, condition, problems: [problemOfRow(row), ...problems] }
  }
  if (problems.length > 0) return { id, state, condition: 'waiting', problems }
  return { id, state, condition: known.state === 'running' ? 'ok' : 'starting', problems: [] }
}

function problemOfRow({ problem, sinceMs, lastMs, failures, nextMs }: FailureRow): HealthProblem {
  return { activity: null, ...problem, since: sinceMs, last_at: lastMs, attempts: failures, next_at: nextMs }
}

function problemOfOutage(outage: OngoingOutage): HealthProblem {
  const { activity, code, message, action, sinceMs, lastMs, attempts, nextMs } = outage
  return { activity, code, message, action, since: sinceMs, last_at: lastMs, attempts, next_at: nextMs }
}

/** The problem in a status that another worker, or an earlier run of this one, has stored. */
function problemOfTrace(trace: string | undefined): HealthProblem | null {
  if (trace === undefined) return null
  const [first = ''] = trace.split('\n', 1)
  const code = /\[([A-Z0-9_]+)\]$/.exec(first)?.[1] ?? null
  const message = first.replace(/^[\w.$]+(?:Exception|Error): /, '').replace(/ \[[A-Z0-9_]+\]$/, '')
  return { activity: null, code, message, action: null, since: null, last_at: null, attempts: 1, next_at: null }
}
