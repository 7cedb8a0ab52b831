import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorEvents,
  connectorStates,
  connectorTable,
  type ConnectorEvent,
  type ReconcilerState,
} from './connector-states.ts'

/** What is expected of every cell, written by hand: the next state and the actions in their order; `-`: ignored. */
const expected: Readonly<Record<ConnectorEvent, Readonly<Record<ReconcilerState, string>>>> = {
  run: {
    absent: 'running: report RUNNING, reconcile tasks',
    running: 'running: report RUNNING, reconcile tasks',
    paused: 'running: report RUNNING, reconcile tasks',
    stopped: 'running: report RUNNING, reconcile tasks',
    restarting: 'running: report RUNNING, reconcile tasks',
    failed: 'running: report RUNNING, reconcile tasks',
  },
  pause: {
    absent: 'paused: reconcile tasks, report PAUSED',
    running: 'paused: reconcile tasks, report PAUSED',
    paused: 'paused: reconcile tasks, report PAUSED',
    stopped: 'paused: reconcile tasks, report PAUSED',
    restarting: 'paused: reconcile tasks, report PAUSED',
    failed: 'paused: reconcile tasks, report PAUSED',
  },
  stop: {
    absent: 'stopped: reconcile tasks, report STOPPED',
    running: 'stopped: reconcile tasks, report STOPPED',
    paused: 'stopped: reconcile tasks, report STOPPED',
    stopped: 'stopped: reconcile tasks, report STOPPED',
    restarting: 'stopped: reconcile tasks, report STOPPED',
    failed: 'stopped: reconcile tasks, report STOPPED',
  },
  delete: {
    absent: 'absent: reconcile tasks, remove statuses',
    running: 'absent: reconcile tasks, remove statuses',
    paused: 'absent: reconcile tasks, remove statuses',
    stopped: 'absent: reconcile tasks, remove statuses',
    restarting: 'absent: reconcile tasks, remove statuses',
    failed: 'absent: reconcile tasks, remove statuses',
  },
  release: {
    absent: 'absent: reconcile tasks, report UNASSIGNED',
    running: 'absent: reconcile tasks, report UNASSIGNED',
    paused: 'absent: reconcile tasks, report UNASSIGNED',
    stopped: 'absent: reconcile tasks, report UNASSIGNED',
    restarting: 'absent: reconcile tasks, report UNASSIGNED',
    failed: 'absent: reconcile tasks, report UNASSIGNED',
  },
  lose: {
    absent: 'absent: reconcile tasks',
    running: 'absent: reconcile tasks',
    paused: 'absent: reconcile tasks',
    stopped: 'absent: reconcile tasks',
    restarting: 'absent: reconcile tasks',
    failed: 'absent: reconcile tasks',
  },
  restart: {
    absent: '-',
    running: 'restarting: report RESTARTING',
    paused: 'restarting: report RESTARTING',
    stopped: 'restarting: report RESTARTING',
    restarting: '-',
    failed: 'restarting: report RESTARTING',
  },
  'start failed': {
    absent: 'failed: report FAILED',
    running: 'failed: report FAILED',
    paused: 'failed: report FAILED',
    stopped: 'failed: report FAILED',
    restarting: 'failed: report FAILED',
    failed: 'failed: report FAILED',
  },
  'shut down': {
    absent: '-',
    running: 'absent: report UNASSIGNED',
    paused: 'absent',
    stopped: 'absent',
    restarting: 'absent',
    failed: 'absent',
  },
}

const states = Object.keys(connectorStates) as readonly ReconcilerState[]
const events = Object.keys(connectorEvents) as readonly ConnectorEvent[]

function describe(state: ReconcilerState, event: ConnectorEvent): string {
  const cell = connectorTable[state][event]
  if (cell === null) return '-'
  return cell.actions.length === 0 ? cell.next : `${cell.next}: ${cell.actions.join(', ')}`
}

for (const event of events) {
  for (const state of states) {
    test(`a connector that is ${state}, on “${event}”: ${expected[event][state]}`, () => {
      assert.equal(describe(state, event), expected[event][state])
    })
  }
}

test('the table has a cell for each of 6 states and 9 events', () => {
  assert.deepEqual([states.length, events.length], [6, 9])
  for (const state of states) assert.deepEqual(Object.keys(connectorTable[state]).sort(), [...events].sort())
})
