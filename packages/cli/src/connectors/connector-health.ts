import type { HealthProblem, TaskHealth, TimeToLoss } from '@tributary/rest-api'
import { visibleText } from '@tributary/support'
import type { Palette } from '../terminal/palette.ts'
import { connectorPath } from './connector-answers.ts'
import { RefusedError, type RestClient } from './rest-client.ts'

/** The health of a connector on a worker of Tributary; null where the service does not report it. */
export interface ShownHealth {
  readonly timeToLoss: TimeToLoss | null
  readonly problem: HealthProblem | null
  readonly tasks: readonly TaskHealth[]
}

const UNKNOWN: ShownHealth = { timeToLoss: null, problem: null, tasks: [] }

/** Kafka Connect, and earlier versions of Tributary, return less or nothing. */
export async function readHealth(client: RestClient, name: string): Promise<ShownHealth> {
  try {
    const { json } = await client.request('GET', connectorPath(name, '/health'))
    if (!isObject(json)) return UNKNOWN
    const { time_to_loss: loss, problem, tasks } = json
    return {
      timeToLoss: isTimeToLoss(loss) ? loss : null,
      problem: isProblem(problem) ? problem : null,
      tasks: Array.isArray(tasks) ? tasks.filter(isTaskHealth) : [],
    }
  } catch (error) {
    if (error instanceof RefusedError) return UNKNOWN
    throw error
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isTimeToLoss(value: unknown): value is TimeToLoss {
  return isObject(value) && 'status' in value && Array.isArray(value['notes'])
}

function isProblem(value: unknown): value is HealthProblem {
  return isObject(value) && typeof value['message'] === 'string' && typeof value['attempts'] === 'number'
}

function isTaskHealth(value: unknown): value is TaskHealth {
  return isObject(value) && typeof value['condition'] === 'string' && Array.isArray(value['problems'])
}

/** Lines after the status: the failures, their retries, and the actions to take. Empty without problems. */
export function renderProblems({ problem, tasks }: ShownHealth, nowMs: number, palette: Palette): string {
  const ofTasks = tasks.flatMap(({ id, problems }) =>
    problems.filter(isProblem).map((each) => ({ subject: `Task ${id}`, each })),
  )
  const all = [...(problem === null ? [] : [{ subject: 'The connector', each: problem }]), ...ofTasks]
  return all
    .map(({ subject, each }) => {
      const what = each.activity === null ? 'has failed' : `retries ${each.activity}`
      const head = `\n${palette.doubtful(visibleText(`${subject} ${what}${countText(each, nowMs)}.`))}\n`
      const code = each.code === null ? '' : ` [${each.code}]`
      const lines = [...(each.activity === null ? [] : [`${each.message}${code}`]), ...actionLines(each)]
      return head + lines.map((line) => `  ${visibleText(line)}\n`).join('')
    })
    .join('')
}

/** For example ` 3 times in 65 s; it is tried again in 40 s`. */
function countText({ since, attempts, next_at: next, activity }: HealthProblem, nowMs: number): string {
  const count = attempts === 1 ? ' once' : ` ${attempts} times`
  const from = since === null ? '' : `${count} in ${secondsText(nowMs - since)}`
  if (next !== null) return `${from}; it is tried again in ${secondsText(next - nowMs)}`
  return activity === null ? `${from}; it is not tried again by itself` : from
}

/** The clock of the worker may differ. */
function secondsText(ms: number): string {
  return `${Math.max(0, Math.ceil(ms / 1000))} s`
}

/** The trace of a failure, with the action, is printed before. */
function actionLines({ action, activity }: HealthProblem): readonly string[] {
  return action === null || activity === null ? [] : [action]
}
