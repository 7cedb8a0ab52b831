import type { ConnectorState, ConnectorStateInfo } from '@tributary/rest-api'
import type { RestartOptions } from './herder.ts'

/**
 * Returns the status of a connector with everything that is to be restarted in state RESTARTING (KIP-745). A failed
 * item keeps its trace.
 */
export function planRestart(
  status: ConnectorStateInfo,
  { includeTasks, onlyFailed }: RestartOptions,
): ConnectorStateInfo {
  const isChosen = (state: ConnectorState): boolean => !onlyFailed || state === 'FAILED'
  const { connector, tasks } = status
  return {
    ...status,
    connector: isChosen(connector.state) ? { ...connector, state: 'RESTARTING' } : connector,
    tasks: tasks.map((task) => (includeTasks && isChosen(task.state) ? { ...task, state: 'RESTARTING' } : task)),
  }
}
