import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_OWNERS, ownerUrls } from './owner-urls.ts'
import { NO_WORK, type Work } from './protocol/work.ts'

const tasksOf = (connector: string): Work => ({ connectors: [], tasks: [{ connector, task: 0 }] })

test('a task that is revoked, or was just assigned, may run; one that nobody has reported does not', () => {
  const members = [
    { memberId: 'a', worker: 'http://a/', running: tasksOf('revoked') },
    { memberId: 'b', worker: 'http://b/', running: NO_WORK },
  ]
  const owners = ownerUrls(
    members,
    new Map([
      ['a', { assigned: NO_WORK, revoked: tasksOf('revoked') }],
      ['b', { assigned: tasksOf('assigned'), revoked: NO_WORK }],
    ]),
  )
  assert.deepEqual(
    ['revoked', 'assigned', 'stopped'].map((name) => owners.mayRunTasks(name)),
    [true, true, false],
  )
  assert.deepEqual([owners.ofTask('revoked', 0), owners.ofTask('assigned', 0)], [null, 'http://b/'])
  assert.equal(NO_OWNERS.mayRunTasks('stopped'), true)
})
