import { LogLevels, systemClock } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import type { TaskCommand, TaskReport } from '../task/thread-protocol.ts'
import { RunningTask, type RunningTaskOptions } from './running-task.ts'
import type { TaskThread } from './task-thread.ts'

test('a task whose data cannot be resolved takes no thread, which would wait for its data forever', () => {
  const options = {
    takeThread: () => assert.fail('a thread is taken'),
    data: {
      connectorName: 'c',
      taskNumber: 0,
      taskConfig: {},
      // A provider without its class.
      workerProperties: { 'config.providers': 'file' },
      storedOffsets: [],
      lease: new SharedArrayBuffer(16),
    },
    onReport: () => undefined,
    clock: systemClock,
    logger: captureLogger(),
    logLevels: new LogLevels('INFO'),
  }
  assert.throws(() => new RunningTask(options), /config\.providers/)
})

test('each question has its own answer; none comes from a thread that is blocked, or has ended', async () => {
  const { port1: port, port2: thread } = new MessageChannel()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const clock = fakeClock()
  const place = { port, ended, expectEnd: () => undefined, isShared: () => false }
  const options: RunningTaskOptions = {
    takeThread: () => ({ host: () => place }) as unknown as TaskThread,
    data: {
      connectorName: 'c',
      taskNumber: 0,
      taskConfig: {},
      workerProperties: {},
      storedOffsets: [],
      lease: new SharedArrayBuffer(16),
    },
    onReport: () => undefined,
    clock,
    logger: captureLogger(),
    logLevels: new LogLevels('INFO'),
  }
  const task = new RunningTask(options)
  const asked: number[] = []
  const { promise: bothAsked, resolve: onBoth } = Promise.withResolvers<void>()
  thread.on('message', (command: TaskCommand) => {
    if (command.tag !== 'ask') return
    asked.push(command.number)
    if (asked.length === 2) onBoth()
  })
  const snapshot = task.ask({ tag: 'snapshot' }, 1_000)
  const signal = task.ask({ tag: 'signal', signal: { id: 's', type: 'log', data: '' } }, 1_000)
  await bothAsked
  const result = { tag: 'accepted', isRepeated: false } as const
  const answers: readonly TaskReport[] = [
    { tag: 'answer', number: asked[1] ?? 0, answer: { tag: 'signal', result } },
    { tag: 'answer', number: asked[0] ?? 0, answer: { tag: 'snapshot', snapshot: null } },
  ]
  for (const each of answers) thread.postMessage(each)
  assert.deepEqual(await Promise.all([snapshot, signal]), [
    { tag: 'snapshot', snapshot: null },
    { tag: 'signal', result },
  ])
  const late = task.ask({ tag: 'snapshot' }, 1_000)
  await clock.advance(1_000)
  assert.equal(await late, null)
  const last = task.ask({ tag: 'snapshot' }, 1_000)
  end()
  assert.equal(await last, null)
  thread.close()
})
