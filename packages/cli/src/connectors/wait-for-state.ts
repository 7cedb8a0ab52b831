import type { ConnectorStateInfo } from '@tributary/rest-api'
import type { Clock } from '@tributary/support'
import { cliErrors } from '../errors.ts'
import { readStatus, type StatusAnswer } from './connector-answers.ts'
import type { RestClient } from './rest-client.ts'

/**
 * The state to wait for: `reported` is any state; `running` means that the connector runs and each task runs or has
 * failed; `settled` is running, paused or stopped.
 */
export type Goal = 'reported' | 'running' | 'settled' | 'paused' | 'stopped'

export interface WaitOptions {
  readonly client: RestClient
  readonly clock: Clock
  readonly limitSeconds: number
  /** A request has just asked for a restart, so that the first status read may still be the old one. */
  readonly isChanging?: boolean
}

const POLL_MS = 200

/** A worker reacts to a request sooner than this. A status that is the same for longer is the new one. */
const STALE_MS = 2_000

/**
 * Waits until the connector has reached the goal or has failed, and returns its status.
 *
 * @throws CONNECTOR_NOT_SETTLED
 */
export async function waitForState(name: string, goal: Goal, options: WaitOptions): Promise<StatusAnswer> {
  const { client, clock, limitSeconds: seconds } = options
  const start = clock.now()
  const end = start + seconds * 1000
  for (let isFresh = options.isChanging !== true; ;) {
    const found = await readStatus(client, name)
    isFresh ||= clock.now() - start >= STALE_MS || found === null || !isReached(found.status, goal)
    if (isFresh && found !== null && (isReached(found.status, goal) || found.status.connector.state === 'FAILED'))
      return found
    if (clock.now() >= end) {
      throw cliErrors.CONNECTOR_NOT_SETTLED({ connector: name, goal, seconds, state: describe(found?.status ?? null) })
    }
    await clock.sleep(POLL_MS)
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
  if (status === null) return 'no worker has reported its state'
  const tasks = status.tasks.map(({ id, state }) => `, task ${id} ${state}`).join('')
  return `the connector is ${status.connector.state}${tasks === '' ? ', without tasks' : tasks}`
}
