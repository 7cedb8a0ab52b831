import type { ConnectorState, ConnectorStateInfo } from '@tributary/rest-api'
import type { RestartOptions } from './herder.ts'

/**
 * The status of a connector in which what is to be restarted is RESTARTING (KIP-745). What failed shows why until it has been
 * restarted.
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
