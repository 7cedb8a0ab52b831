import { SecretMask } from '../config/providers/secret-mask.ts'
import { eventually, fakeClock } from '@tributary/testkit'
import { LogLevels } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldLease } from '../lease/testing/held-lease.ts'
import type { TaskCommand, TaskReport } from '../task/thread-protocol.ts'
import { SpareThreads } from './spare-threads.ts'
import type { Breakage, TaskPlace, TaskThread } from './task-thread.ts'
import { TaskThreads } from './task-threads.ts'

const THREAD_URL = new URL('./testing/scripted-thread.ts', import.meta.url)

interface Hosted {
  readonly place: TaskPlace
  readonly reports: TaskReport[]
  readonly breakages: Breakage[]
}

/** Starts a task that runs the script. */
function host(thread: TaskThread, id: string, script: string): Hosted {
  const [reports, breakages] = [[] as TaskReport[], [] as Breakage[]]
  const place = thread.host({ id, mask: new SecretMask(new Map()), onBroken: (breakage) => breakages.push(breakage) })
  place.port.on('message', (report: TaskReport) => reports.push(report))
  const data = {
    connectorName: id,
    taskNumber: 0,
    taskConfig: { script },
    workerProperties: {},
    storedOffsets: [],
    lease: heldLease().memory,
  }
  const command: TaskCommand = { tag: 'start', data, logLevels: new LogLevels('INFO').snapshot() }
  place.port.postMessage(command)
  return { place, reports, breakages }
}

test('each task gets the thread with the fewest tasks, once there are enough threads', async () => {
  const clock = fakeClock()
  const threads = new TaskThreads(new SpareThreads({ threadUrl: THREAD_URL, clock }), 3, clock)
  const taken: TaskThread[] = []
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    const thread = threads.take(id)
    host(thread, id, 'works')
    taken.push(thread)
  }
  const [a, b, c] = taken
  assert.deepEqual(taken, [a, b, c, a, b, c, a])
  assert.equal(new Set(taken).size, 3)
  threads.keepAlone('h')
  const alone = threads.take('h')
  assert.equal(taken.includes(alone), false)
  await a?.terminate('it is replaced')
  const replacement = threads.take('i')
  assert.equal([...taken, alone].includes(replacement), false, 'a thread that has ended takes no task')
  for (const thread of [b, c, alone, replacement]) await thread?.terminate('the test is over')
})

test('a shared thread that does not respond for 40 s is ended; one that responds is not', async () => {
  const clock = fakeClock()
  const threads = new TaskThreads(new SpareThreads({ threadUrl: THREAD_URL, clock }), 2, clock)
  const [first, second] = [threads.take('a'), threads.take('b')]
  const works = host(first, 'a', 'works')
  const neighbour = host(second, 'b', 'works')
  const alsoWorks = host(threads.take('c'), 'c', 'works')
  const stuck = host(threads.take('d'), 'd', 'is stuck')
  await eventually('all run', () => [works, neighbour, alsoWorks, stuck].every(({ reports }) => reports.length > 0))
  for (let tick = 0; tick < 4; tick += 1) {
    await clock.advance(10_000)
    assert.deepEqual([neighbour.breakages, stuck.breakages], [[], []])
    // The other thread gets the time to answer.
    await eventually('it has answered', () => first.ping() === 0)
  }
  await clock.advance(10_000)
  await Promise.all([neighbour.place.ended, stuck.place.ended])
  assert.deepEqual(
    [...neighbour.breakages, ...stuck.breakages].map(({ reason, tasks }) => `${tasks} ${reason}`),
    ['2 it did not respond for 40 s', '2 it did not respond for 40 s'],
  )
  assert.deepEqual([works.breakages, alsoWorks.breakages], [[], []])
  await first.terminate('the test is over')
  await threads.discard()
})
