import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupAssignment } from './group-assignment.ts'
import { NO_WORK } from './protocol/work.ts'

const ALL = { connectors: ['a', 'b'], tasks: [{ connector: 'a', task: 0 }] }

test('a worker that is alone has what is created later; frozen, it has what there was', () => {
  const assignment = GroupAssignment.all()
  assert.equal(assignment.hasConnector('later'), true)
  assignment.freeze(ALL)
  assert.deepEqual([assignment.hasConnector('b'), assignment.hasTask('a', 0)], [true, true])
  assert.deepEqual([assignment.hasConnector('later'), assignment.hasTask('a', 1)], [false, false])
  assert.deepEqual(assignment.work(NO_WORK), ALL)
})

test('released work is no longer its own, and its status is, until the release is complete', () => {
  const assignment = GroupAssignment.all()
  assignment.freeze(ALL)
  assignment.release({ connectors: ['a', 'unknown'], tasks: [{ connector: 'a', task: 0 }] })
  assert.deepEqual([assignment.hasConnector('a'), assignment.hasTask('a', 0)], [false, false])
  assert.deepEqual([assignment.isReleasingConnector('a'), assignment.isReleasingTask('a', 0)], [true, true])
  assert.equal(assignment.isReleasingConnector('unknown'), false)
  assert.deepEqual(assignment.work(NO_WORK), { connectors: ['b'], tasks: [] })
  assignment.dropReleased()
  assert.deepEqual([assignment.isReleasingConnector('a'), assignment.isReleasingTask('a', 0)], [false, false])
})

test('suspended, it has nothing, and its work again when it is resumed', () => {
  const assignment = GroupAssignment.all()
  assignment.freeze(ALL)
  assignment.release({ connectors: ['b'], tasks: [] })
  assignment.suspend()
  const { tasks } = ALL
  assert.deepEqual([assignment.hasConnector('a'), assignment.hasTask('a', 0)], [false, false])
  assert.equal(assignment.isReleasingConnector('b'), false)
  assert.deepEqual(assignment.work(NO_WORK), { connectors: ['a'], tasks })
  assignment.resume()
  assert.equal(assignment.hasTask('a', 0), true)
})
