import type { LiveConnector } from '@tributary/rest-api'

/** The state of the connector, or FAILED if one of its tasks has failed. */
export function worstState({ state, tasks }: LiveConnector): string {
  const failed = tasks.find((task) => task.state === 'FAILED')
  return failed?.state ?? (state === 'RUNNING' ? (tasks[0]?.state ?? state) : state)
}
