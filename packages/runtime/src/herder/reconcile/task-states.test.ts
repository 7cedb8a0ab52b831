import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskEvents, taskStates, taskTable, type TaskEvent, type TaskReconcilerState } from './task-states.ts'

/**
 * The expected content of every cell, written by hand: the next state and the actions in order; `-` where the state
 * ignores the event. Grouped by event, unlike the table, which is grouped by state.
 */
const expected: Readonly<Record<TaskEvent, Readonly<Record<TaskReconcilerState, string>>>> = {
  run: {
    absent: 'idle: report UNASSIGNED',
    idle: 'idle: report UNASSIGNED',
    starting: '-',
    running: '-',
    stopping: 'stopping: stop',
    paused: 'idle: report UNASSIGNED',
    restarting: 'stopping: stop',
    failed: '-',
    'backing off': '-',
  },
  reconfigure: {
    absent: 'idle: report UNASSIGNED',
    idle: 'idle: report UNASSIGNED',
    starting: 'stopping: report UNASSIGNED, stop',
    running: 'stopping: report UNASSIGNED, stop',
    stopping: 'stopping: stop',
    paused: 'idle: report UNASSIGNED',
    restarting: 'stopping: stop',
    failed: 'stopping: report UNASSIGNED, stop',
    'backing off': 'stopping: cancel retry, report UNASSIGNED, stop',
  },
  pause: {
    absent: 'paused: report PAUSED unless FAILED',
    idle: 'paused: report PAUSED',
    starting: 'stopping: stop',
    running: 'stopping: stop',
    stopping: 'stopping: stop',
    paused: '-',
    restarting: 'stopping: stop',
    failed: '-',
    'backing off': 'stopping: cancel retry, stop',
  },
  remove: {
    absent: 'absent: remove status',
    idle: 'absent: remove status',
    starting: 'stopping: stop',
    running: 'stopping: stop',
    stopping: 'stopping: stop',
    paused: 'absent: remove status',
    restarting: 'stopping: stop',
    failed: 'stopping: stop',
    'backing off': 'stopping: cancel retry, stop',
  },
  release: {
    absent: '-',
    idle: 'absent: report UNASSIGNED',
    starting: 'stopping: stop',
    running: 'stopping: stop',
    stopping: 'stopping: stop',
    paused: 'absent',
    restarting: 'stopping: stop',
    failed: 'stopping: stop',
    'backing off': 'stopping: cancel retry, stop',
  },
  lose: {
    absent: '-',
    idle: 'absent',
    starting: 'stopping: stop',
    running: 'stopping: stop',
    stopping: 'stopping: stop',
    paused: 'absent',
    restarting: 'stopping: stop',
    failed: 'stopping: stop',
    'backing off': 'stopping: cancel retry, stop',
  },
  restart: {
    absent: '-',
    idle: '-',
    starting: 'restarting: report RESTARTING',
    running: 'restarting: report RESTARTING',
    stopping: 'stopping: report RESTARTING',
    paused: 'restarting: report RESTARTING',
    restarting: '-',
    failed: 'restarting: report RESTARTING',
    'backing off': 'restarting: cancel retry, report RESTARTING',
  },
  'offsets read': {
    absent: '-',
    idle: 'starting: start',
    starting: '-',
    running: '-',
    stopping: '-',
    paused: '-',
    restarting: '-',
    failed: '-',
    'backing off': '-',
  },
  started: {
    absent: '-',
    idle: '-',
    starting: 'running: report RUNNING',
    running: '-',
    stopping: '-',
    paused: '-',
    restarting: '-',
    failed: '-',
    'backing off': '-',
  },
  failed: {
    absent: '-',
    idle: '-',
    starting: 'failed: report FAILED',
    running: 'failed: report FAILED',
    stopping: '-',
    paused: '-',
    restarting: '-',
    failed: '-',
    'backing off': '-',
  },
  'failed retriably': {
    absent: '-',
    idle: '-',
    starting: 'backing off: report FAILED, schedule retry',
    running: 'backing off: report FAILED, schedule retry',
    stopping: '-',
    paused: '-',
    restarting: '-',
    failed: '-',
    'backing off': '-',
  },
  'retry due': {
    absent: '-',
    idle: '-',
    starting: '-',
    running: '-',
    stopping: '-',
    paused: '-',
    restarting: '-',
    failed: '-',
    'backing off': 'restarting: report RESTARTING',
  },
  stopped: {
    absent: '-',
    idle: '-',
    starting: '-',
    running: '-',
    stopping: 'idle',
    paused: '-',
    restarting: '-',
    failed: '-',
    'backing off': '-',
  },
  'shut down': {
    absent: '-',
    idle: 'absent',
    starting: 'absent',
    running: 'absent: report UNASSIGNED',
    stopping: 'absent: report UNASSIGNED',
    paused: 'absent',
    restarting: 'absent',
    failed: 'absent',
    'backing off': 'absent: cancel retry',
  },
}

const states = Object.keys(taskStates) as readonly TaskReconcilerState[]
const events = Object.keys(taskEvents) as readonly TaskEvent[]

function describe(state: TaskReconcilerState, event: TaskEvent): string {
  const cell = taskTable[state][event]
  if (cell === null) return '-'
  return cell.actions.length === 0 ? cell.next : `${cell.next}: ${cell.actions.join(', ')}`
}

for (const event of events) {
  for (const state of states) {
    test(`a task that is ${state}, on “${event}”: ${expected[event][state]}`, () => {
      assert.equal(describe(state, event), expected[event][state])
    })
  }
}

test('the table has a cell for each of 9 states and 14 events', () => {
  assert.deepEqual([states.length, events.length], [9, 14])
  for (const state of states) assert.deepEqual(Object.keys(taskTable[state]).sort(), [...events].sort())
})

test('a thread is only started from a state without one, and every state with a thread stops it before it is left', () => {
  const withThread: ReadonlySet<TaskReconcilerState> = new Set([
    'starting',
    'running',
    'restarting',
    'failed',
    'backing off',
    'stopping',
  ])
  for (const state of states) {
    for (const event of events) {
      const cell = taskTable[state][event]
      if (cell === null) continue
      if (cell.actions.includes('start')) assert.ok(!withThread.has(state), `${state}, ${event}`)
      const isLeft = withThread.has(state) && !withThread.has(cell.next)
      // The worker stops all threads itself before it reports its shut-down.
      if (isLeft) assert.ok(state === 'stopping' || event === 'shut down', `${state}, ${event}`)
      assert.equal(cell.actions.includes('stop'), cell.next === 'stopping' && event !== 'restart', `${state}, ${event}`)
    }
  }
})

test('the timer of a retry exists in the state “backing off” only', () => {
  for (const state of states) {
    for (const event of events) {
      const { next, actions } = taskTable[state][event] ?? { next: state, actions: [] as const }
      const isLeft = state === 'backing off' && next !== state && event !== 'retry due'
      assert.equal((actions as readonly string[]).includes('cancel retry'), isLeft, `${state}, ${event}`)
      const isEntered = state !== 'backing off' && next === 'backing off'
      assert.equal((actions as readonly string[]).includes('schedule retry'), isEntered, `${state}, ${event}`)
    }
  }
})
