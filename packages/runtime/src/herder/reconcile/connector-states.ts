import { cellsOf, type StateTable } from './state-table.ts'

/** States of a connector on this worker. Their meanings are part of the reference page. */
export const connectorStates = {
  absent: 'This worker has no such connector.',
  running: 'The connector is to run, and its tasks were brought in line with its task configurations.',
  paused: 'The connector keeps its tasks, and none of them runs.',
  stopped: 'The connector has no tasks.',
  restarting: 'A restart was requested; the next turn starts the connector.',
  failed: 'The connector could not be started. Another configuration or a restart starts it.',
} as const

export type ReconcilerState = keyof typeof connectorStates

export const connectorEvents = {
  run: 'A turn finds target state STARTED and stored task configurations.',
  pause: 'A turn finds target state PAUSED.',
  stop: 'A turn finds target state STOPPED.',
  delete: 'A turn finds that the connector was deleted, or deleted and created again.',
  release: 'A turn finds that another worker is to get the connector.',
  lose: 'A turn finds that this worker has lost the connector, or that another one may have it by now.',
  restart: 'A user requests a restart that includes the connector.',
  'start failed': 'The task configurations cannot be computed or stored, or the stored offsets cannot be read.',
  'shut down': 'The worker has stopped all tasks and ends.',
} as const

export type ConnectorEvent = keyof typeof connectorEvents

export const connectorActions = {
  'reconcile tasks': 'bring each task to what is desired of it, by the table of tasks',
  'report RUNNING': 'store the status RUNNING',
  'report PAUSED': 'store the status PAUSED',
  'report STOPPED': 'store the status STOPPED',
  'report RESTARTING': 'store the status RESTARTING',
  'report FAILED': 'store the status FAILED with the trace',
  'report UNASSIGNED': 'store the status UNASSIGNED',
  'remove statuses': 'remove all statuses and topics of the connector',
} as const

export type ConnectorAction = keyof typeof connectorActions

const to = cellsOf<ReconcilerState, ConnectorAction>()

/** The events of a turn have the same effect in every state: a turn derives them from the whole desired state. */
const found = {
  run: to('running', 'report RUNNING', 'reconcile tasks'),
  pause: to('paused', 'reconcile tasks', 'report PAUSED'),
  stop: to('stopped', 'reconcile tasks', 'report STOPPED'),
  delete: to('absent', 'reconcile tasks', 'remove statuses'),
  release: to('absent', 'reconcile tasks', 'report UNASSIGNED'),
  lose: to('absent', 'reconcile tasks'),
  'start failed': to('failed', 'report FAILED'),
} as const

const restart = to('restarting', 'report RESTARTING')

export const connectorTable: StateTable<ReconcilerState, ConnectorEvent, ConnectorAction> = {
  absent: { ...found, restart: null, 'shut down': null },
  running: { ...found, restart, 'shut down': to('absent', 'report UNASSIGNED') },
  paused: { ...found, restart, 'shut down': to('absent') },
  stopped: { ...found, restart, 'shut down': to('absent') },
  restarting: { ...found, restart: null, 'shut down': to('absent') },
  failed: { ...found, restart, 'shut down': to('absent') },
}
