import type { LiveConnector } from '@tributary/rest-api'
import { connectorPath } from '../api/client.ts'
import type { Action } from '../parts/action-dialog.tsx'

/** What can be done to a connector in its state, the safest first. */
export function actionsFor(connector: LiveConnector): readonly Action[] {
  const { name, state, tasks } = connector
  const path = connectorPath(name)
  const isStopped = state === 'STOPPED'
  const isPaused = state === 'PAUSED'
  const hasFailed = state === 'FAILED' || tasks.some((task) => task.state === 'FAILED')
  return [
    ...(hasFailed ? [restartFailed(path)] : []),
    ...(isPaused || isStopped ? [resume(path)] : [pause(path)]),
    ...(isStopped ? [resetOffsets(name, path)] : [restart(path), stop(path)]),
    remove(name, path),
  ]
}

function pause(path: string): Action {
  return {
    label: 'Pause',
    method: 'PUT',
    path: `${path}/pause`,
    effect: [
      'The task stops reading and keeps its connections. Changes stay in the binlog of the database and are read after Resume.',
      'If the database deletes that part of its binlog meanwhile, the connector cannot continue.',
    ],
  }
}

function resume(path: string): Action {
  return {
    label: 'Resume',
    method: 'PUT',
    path: `${path}/resume`,
    effect: ['The connector continues from its stored position, or begins with a snapshot if it has none.'],
  }
}

function stop(path: string): Action {
  return {
    label: 'Stop',
    method: 'PUT',
    path: `${path}/stop`,
    effect: [
      'The task ends and closes its connections. Configuration and position stay; Resume continues from there.',
      'A stopped connector’s position can be changed. If the database deletes its binlog meanwhile, the connector cannot continue.',
    ],
  }
}

function restart(path: string): Action {
  return {
    label: 'Restart',
    method: 'POST',
    path: `${path}/restart?includeTasks=true`,
    effect: [
      'The connector and its tasks stop and start again from the stored position. Records whose position is not stored yet are written a second time.',
    ],
  }
}

function restartFailed(path: string): Action {
  return {
    label: 'Restart what failed',
    method: 'POST',
    path: `${path}/restart?includeTasks=true&onlyFailed=true`,
    effect: [
      'Whatever has failed starts again from the stored position. Remove the cause of the error first; otherwise it fails again.',
    ],
  }
}

function resetOffsets(name: string, path: string): Action {
  return {
    label: 'Reset position',
    method: 'DELETE',
    path: `${path}/offsets`,
    effect: [
      'The stored position is deleted. After Resume the connector begins anew, as its snapshot.mode says: usually every row of every table is written again.',
      'The old position cannot be brought back from this page.',
    ],
    isDangerous: true,
    confirmation: name,
  }
}

function remove(name: string, path: string): Action {
  return {
    label: 'Delete',
    method: 'DELETE',
    path,
    effect: [
      'The task ends, and the configuration and the states are deleted. Topics and their records stay.',
      'The stored position stays as well: a new connector with this name and the same topic.prefix continues from it.',
    ],
    isDangerous: true,
    confirmation: name,
  }
}
