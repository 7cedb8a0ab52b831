import type { ConnectorStateInfo } from '@tributary/rest-api'
import type { Clock } from '@tributary/support'
import { cliErrors } from '../errors.ts'
import { readStatus, type StatusAnswer } from './connector-answers.ts'
import type { RestClient } from './rest-client.ts'

/** What is waited for: any state at all; that all runs or has failed; that it is at rest in any state; paused; stopped. */
export type Goal = 'reported' | 'running' | 'settled' | 'paused' | 'stopped'

export interface WaitOptions {
  readonly client: RestClient
  readonly clock: Clock
  readonly limitSeconds: number
  /** What runs was told to end or to begin anew: what is so at first may be so still. */
  readonly isChanging?: boolean
}

const LOOK_EVERY_MS = 200

/** A worker takes up what was asked of it within moments. A status that stays so for longer is not of before: nothing had to change. */
const STALE_MS = 2_000

/**
 * The status when the goal is reached, or the connector has failed.
 *
 * @throws CONNECTOR_NOT_SETTLED
 */
export async function waitForState(name: string, goal: Goal, options: WaitOptions): Promise<StatusAnswer> {
  const { client, clock, limitSeconds: seconds } = options
  const begin = clock.now()
  const end = begin + seconds * 1000
  for (let isFresh = options.isChanging !== true; ;) {
    const found = await readStatus(client, name)
    isFresh ||= clock.now() - begin >= STALE_MS || found === null || !isReached(found.status, goal)
    if (isFresh && found !== null && (isReached(found.status, goal) || found.status.connector.state === 'FAILED'))
      return found
    if (clock.now() >= end) {
      throw cliErrors.CONNECTOR_NOT_SETTLED({ connector: name, goal, seconds, state: describe(found?.status ?? null) })
    }
    await clock.sleep(LOOK_EVERY_MS)
  }
}

export function hasFailed({ connector, tasks }: ConnectorStateInfo): boolean {
  return connector.state === 'FAILED' || tasks.some(({ state }) => state === 'FAILED')
}

function isReached(status: ConnectorStateInfo, goal: Goal): boolean {
  const { connector, tasks } = status
  switch (goal) {
    case 'reported':
      return true
    case 'running':
      return connector.state === 'RUNNING' && tasks.length > 0 && tasks.every(({ state }) => DECIDED.has(state))
    case 'paused':
      return connector.state === 'PAUSED' && tasks.every(({ state }) => state === 'PAUSED' || state === 'FAILED')
    case 'stopped':
      return connector.state === 'STOPPED' && tasks.length === 0
    case 'settled':
      return isReached(status, 'running') || isReached(status, 'paused') || isReached(status, 'stopped')
  }
}

const DECIDED: ReadonlySet<string> = new Set(['RUNNING', 'FAILED'])

function describe(status: ConnectorStateInfo | null): string {
  if (status === null) return 'nothing has reported a state'
  const tasks = status.tasks.map(({ id, state }) => `, task ${id} ${state}`).join('')
  return `the connector is ${status.connector.state}${tasks === '' ? ', without tasks' : tasks}`
}
