import { LogLevels, systemClock } from '@tributary/support'
import { captureLogger, eventually, type CaptureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TaskStart } from './task-runner.ts'
import { SpareThreads } from './spare-threads.ts'
import { TaskThreads } from './task-threads.ts'
import { Worker } from './worker.ts'
import { heldLease } from '../lease/testing/held-lease.ts'

const THREAD_URL = new URL('./testing/scripted-thread.ts', import.meta.url)

interface Fixture {
  readonly worker: Worker
  readonly reports: string[]
  readonly logger: CaptureLogger
  readonly logLevels: LogLevels
}

function fixture(context: TestContext, threadsMax = 4): Fixture {
  const [reports, logger, logLevels] = [[] as string[], captureLogger(), new LogLevels('INFO')]
  const worker = new Worker({
    threads: new TaskThreads(new SpareThreads({ threadUrl: THREAD_URL, clock: systemClock }), threadsMax, systemClock),
    workerProperties: { 'group.id': '1' },
    lease: heldLease(),
    listener: {
      onClaimed: () => undefined,
      onStarted: (connector, task) => reports.push(`${connector}-${task} started`),
      onTopic: (connector, task, topic) => reports.push(`${connector}-${task} topic ${topic}`),
      onWaiting: () => undefined,
      onFailed: (connector, task, { trace, isRetriable }) =>
        reports.push(`${connector}-${task} failed${isRetriable ? ' for now' : ''} ${trace}`),
    },
    clock: systemClock,
    logger,
    logLevels,
  })
  // A remaining thread would keep the test process alive.
  context.after(() => worker.stop(1_000))
  return { worker, reports, logger, logLevels }
}

function start(connectorName: string, script: string, taskNumber = 0): TaskStart {
  return { connectorName, taskNumber, config: { script }, storedOffsets: [] }
}

test('tasks run in threads of their own and report their progress; a stop waits for them and is not a failure', async (context) => {
  const { worker, reports } = fixture(context)
  worker.startTask(start('a', 'works'))
  worker.startTask(start('a', 'works', 1))
  worker.startTask(start('b', 'works'))
  await eventually('all tasks have reported', () => reports.length === 6)
  assert.deepEqual(
    reports.filter((report) => report.startsWith('a-1')),
    ['a-1 started', 'a-1 topic orders'],
  )

  await worker.stopTasks('a', 10_000)
  worker.startTask(start('a', 'works'))
  assert.throws(() => worker.startTask(start('b', 'works')), /task b-0 is started once at a time/)
  await worker.stop(10_000)
  assert.equal(
    reports.some((report) => report.includes('failed')),
    false,
  )
})

test('a failure is reported once, with the trace that the task sent', async (context) => {
  const { worker, reports } = fixture(context)
  worker.startTask(start('a', 'fails'))
  await worker.stopTasks('a', 10_000)
  assert.deepEqual(reports, ['a-0 failed Error: the trace of the task'])
})

test('a thread that ends without a report is a failure with a trace of its own', async (context) => {
  const { worker, reports } = fixture(context)
  worker.startTask(start('a', 'throws'))
  worker.startTask(start('b', 'exits'))
  await eventually('both failures are reported', () => reports.length === 2)
  const [ofA = '', ofB = ''] = [...reports].sort((x, y) => (x < y ? -1 : 1))
  assert.match(
    ofA,
    /^a-0 failed org\.apache\.kafka\.connect\.errors\.ConnectException: The thread of task a-0 ended unexpectedly: an uncaught error\. .*\[TASK_THREAD_ENDED\]/,
  )
  assert.match(ofB, /^b-0 failed .*The thread of task b-0 ended unexpectedly: exit code 3\./)
  // The failure is reported before the thread has ended. Like the herder, the test waits for the end before it starts
  // another.
  await worker.stopTasks('a', 10_000)
  worker.startTask(start('a', 'works'))
  await worker.stop(10_000)
})

test('the error that ends a thread shows no secret', async (context) => {
  const { worker, reports } = fixture(context)
  const password = 'password-in-clear-text'
  worker.startTask({
    ...start('a', 'throws a secret'),
    config: { script: 'throws a secret', 'database.password': password },
  })
  await eventually('the failure is reported', () => reports.length === 1)

  assert.match(reports[0] ?? '', /cannot log in with \[hidden\]/)
  assert.equal(reports[0]?.includes(password), false)
})

test('a task that does not stop in time is terminated and reports nothing more; other tasks are not delayed', async (context) => {
  const { worker, reports, logger } = fixture(context)
  worker.startTask(start('a', 'is stuck'))
  await eventually('it runs', () => reports.length === 1)
  await worker.stop(50)

  assert.deepEqual(reports, ['a-0 started'])
  assert.match(
    logger.lines.at(-1)?.message ?? '',
    /^Graceful stop of task a-0 failed: it did not stop within 50 ms and is terminated/,
  )
  worker.startTask(start('a', 'works'))
  await worker.stop(10_000)
})

test('stopping a task that does not run does nothing', async (context) => {
  const { worker } = fixture(context)
  await worker.stopTasks('nothing', 1_000)
  await worker.stop(1_000)
})

test('the thread of a task starts with the current log levels and follows their changes', async (context) => {
  const { worker, reports, logLevels } = fixture(context)
  logLevels.set('a', 'DEBUG', 0)
  worker.startTask(start('c', 'reports levels'))
  await eventually('it has started', () => reports.length === 1)
  logLevels.set('a', 'OFF', 0)
  await eventually('it has followed', () => reports.length === 2)
  assert.deepEqual(reports, ['c-0 topic DEBUG', 'c-0 topic OFF'])

  await worker.stop(10_000)
  logLevels.set('a', 'INFO', 0)
})

test('tasks beyond the limit share threads, and end one by one', async (context) => {
  const { worker, reports } = fixture(context, 2)
  for (const name of ['a', 'b', 'c', 'd', 'e']) worker.startTask(start(name, 'works'))
  await eventually('all tasks have reported', () => reports.length === 10)
  for (const name of ['a', 'c', 'b', 'e', 'd']) await worker.stopTasks(name, 10_000)
  worker.startTask(start('a', 'works'))
  await eventually('the first task runs again', () => reports.length === 12)
  await worker.stop(10_000)
  assert.equal(
    reports.some((report) => report.includes('failed')),
    false,
  )
})

test('the end of a shared thread is a failure of its tasks from which they start again, each alone', async (context) => {
  const { worker, reports } = fixture(context, 1)
  const password = 'password-in-clear-text'
  worker.startTask(start('a', 'works'))
  await eventually('it runs', () => reports.length === 2)
  const guilty = {
    ...start('b', 'throws a secret'),
    config: { script: 'throws a secret', 'database.password': password },
  }
  worker.startTask(guilty)
  await eventually('both have failed', () => reports.length === 4)
  const failures = reports.slice(2).toSorted()
  assert.match(failures[0] ?? '', /^a-0 failed for now .*task a-0 and 1 others ended .*cannot log in with \[hidden\]\./)
  assert.match(failures[1] ?? '', /^b-0 failed for now .*task b-0 and 1 others ended .*cannot log in with \[hidden\]\./)
  assert.equal(reports.join().includes(password), false)

  await Promise.all([worker.stopTasks('a', 10_000), worker.stopTasks('b', 10_000)])
  worker.startTask(start('a', 'works'))
  worker.startTask(guilty)
  worker.startTask(start('c', 'works'))
  await eventually('all have reported', () => reports.length === 9)
  assert.deepEqual(
    reports
      .slice(4)
      .filter((report) => report.includes('failed'))
      .map((report) => report.slice(0, 15)),
    ['b-0 failed org.'],
  )
})

test('a task whose start would leave out changes does not start by itself after the end of a shared thread', async (context) => {
  const { worker, reports } = fixture(context, 1)
  worker.startTask(start('a', 'leaves out changes at its start'))
  await eventually('it runs', () => reports.length === 1)
  worker.startTask(start('b', 'throws'))
  await eventually('both have failed', () => reports.length === 3)
  const [ofA = ''] = reports.slice(1).toSorted()
  assert.match(ofA, /^a-0 failed org.*ended unexpectedly: an uncaught error.*\[START_LEAVES_OUT\]/s)
})

test('a task that does not stop ends the thread that it shares; the others start again', async (context) => {
  const { worker, reports } = fixture(context, 1)
  worker.startTask(start('a', 'works'))
  worker.startTask(start('b', 'is stuck'))
  await eventually('both run', () => reports.length === 3)
  await worker.stopTasks('b', 50)
  assert.match(
    reports[3] ?? '',
    /^a-0 failed for now .*ended unexpectedly: task b-0 shared it and did not stop within 50 ms/,
  )
  assert.equal(reports.length, 4)

  // The cause is known: only its task runs alone from now on.
  await worker.stopTasks('a', 10_000)
  worker.startTask(start('a', 'works'))
  worker.startTask(start('b', 'throws'))
  worker.startTask(start('c', 'works'))
  await eventually('all have reported', () => reports.length === 9)
  const failures = reports.slice(4).filter((report) => report.includes('failed'))
  assert.deepEqual(
    failures.map((report) => report.slice(0, 15)),
    ['b-0 failed org.'],
  )
})
