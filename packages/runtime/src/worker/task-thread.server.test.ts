/** What a real task thread reports to the main thread: failures with their kind, and uses of memory after its poll. */
import type { ConfigMap } from '@tributary/connect-api'
import { LogLevels, systemClock } from '@tributary/support'
import { captureLogger, eventually, temporaryFolder, uniqueName, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TaskFailure, TaskListener } from './task-runner.ts'
import { SpareThreads } from './spare-threads.ts'
import { TaskThreads } from './task-threads.ts'
import { Worker } from './worker.ts'
import { Lease, momentOf } from '../lease/lease.ts'
import { heldLease } from '../lease/testing/held-lease.ts'

/** Runs the script in a task thread until it fails. */
async function failureOf(
  script: string,
  more: ConfigMap = {},
  onStarted = (): void => undefined,
): Promise<TaskFailure> {
  const name = uniqueName('thread')
  const failures: TaskFailure[] = []
  const worker = await createWorker(name, { onFailed: (_connector, _task, failure) => failures.push(failure) })
  try {
    const config = { 'connector.class': 'Script', topic: name, script, ...more }
    worker.startTask({ connectorName: name, taskNumber: 0, config, storedOffsets: [] })
    onStarted()
    return await eventually('the task has failed', () => failures[0])
  } finally {
    await worker.stop(10_000)
  }
}

async function createWorker(name: string, listener: Partial<TaskListener>, lease = heldLease()): Promise<Worker> {
  const { bootstrapServers } = await useKafka()
  return new Worker({
    threads: new TaskThreads(
      new SpareThreads({
        threadUrl: new URL('./testing/source-thread.ts', import.meta.url),
        clock: systemClock,
      }),
      1,
      systemClock,
    ),
    workerProperties: {
      'bootstrap.servers': bootstrapServers.join(),
      'config.storage.topic': `${name}-configs`,
      'offset.storage.topic': `${name}-offsets`,
      'key.converter': 'Text',
      'value.converter': 'Text',
      'header.converter': 'TextHeaders',
      'config.providers': 'file',
      'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
    },
    lease,
    listener: {
      onClaimed: () => undefined,
      onStarted: () => undefined,
      onTopic: () => undefined,
      onWaiting: () => undefined,
      onFailed: () => undefined,
      ...listener,
    },
    clock: systemClock,
    logger: captureLogger(),
    logLevels: new LogLevels('OFF'),
  })
}

test('whether a retry may help is decided in the thread and reaches the main thread', async () => {
  const kinds: (readonly [script: string, isRetriable: boolean, trace: RegExp])[] = [
    ['the source is down', true, /The source is down\. \[DOWN\]/],
    ['the source is down, as a cause', true, /^Error: reading\n[^]*Caused by: .*The source is down\. \[DOWN\]/],
    ['the source is broken', false, /The source is broken\. \[BROKEN\]/],
  ]
  for (const [script, isRetriable, trace] of kinds) {
    const failure = await failureOf(script)
    assert.equal(failure.isRetriable, isRetriable, script)
    assert.match(failure.trace, trace)
  }
})

test('bytes that a converter in a task thread keeps after the poll are poisoned', async () => {
  const { trace } = await failureOf('keeps bytes', { 'value.converter': 'Keeping' })
  assert.match(trace, /^Error: kept: a5a5\n/)
})

test('a reference that cannot be resolved any more when the thread starts fails its task, not the thread', async () => {
  await using folder = temporaryFolder('reference')
  const file = join(folder.path, 'secrets.properties')
  writeFileSync(file, 'name=value')
  const failure = await failureOf('works', { secret: `\${file:${file}:name}` }, () => rmSync(file))
  assert.match(failure.trace, /secrets\.properties/)
  assert.doesNotMatch(failure.trace, /ended unexpectedly/)
})

test('a question to a task that is starting has an answer', async () => {
  const name = uniqueName('asked')
  const worker = await createWorker(name, {})
  const config = { 'connector.class': 'Script', topic: name, script: 'works' }
  worker.startTask({ connectorName: name, taskNumber: 0, config, storedOffsets: [] })
  const signal = { id: 's', type: 'execute-snapshot', data: '' }
  const answer = await worker.ask(name, 0, { tag: 'signal', signal }, 20_000)
  assert.ok(answer?.tag === 'signal' && answer.result.tag === 'unavailable', JSON.stringify(answer))
  assert.match(answer.result.reason, /The task is starting/)
  await worker.stop(10_000)
})

test('a task does not start before its worker holds the lease: another one may run it', async () => {
  const started: string[] = []
  const start = (worker: Worker, name: string): void => {
    const config = { 'connector.class': 'Script', topic: uniqueName('leased'), script: 'works' }
    worker.startTask({ connectorName: name, taskNumber: 0, config, storedOffsets: [] })
  }
  const lease = new Lease(systemClock)
  const onStarted = (connector: string): void => void started.push(connector)
  const waiting = await createWorker(uniqueName('leased'), { onStarted }, lease)
  const other = await createWorker(uniqueName('leased'), { onStarted })
  start(waiting, 'waits')
  const signal = { id: 's', type: 'execute-snapshot', data: '' }
  // Its thread has loaded the code by now.
  await waiting.ask('waits', 0, { tag: 'signal', signal }, 20_000)
  start(other, 'does not wait')
  await eventually('the task with a lease has started', () => started.length > 0)
  assert.deepEqual(started, ['does not wait'])
  lease.renew(momentOf(systemClock), 86_400_000)
  await eventually('the other one has started', () => started.length === 2)
  await Promise.all([waiting.stop(10_000), other.stop(10_000)])
})

test('a source that cannot be stopped may still read: its thread is ended, and the task beside it starts again', async () => {
  const name = uniqueName('unclean')
  const [started, failures] = [new Set<string>(), new Map<string, TaskFailure>()]
  const worker = await createWorker(name, {
    onStarted: (connector) => started.add(connector),
    onFailed: (connector, _task, failure) => failures.set(connector, failure),
  })
  for (const script of ['works', 'cannot be stopped']) {
    const config = { 'connector.class': 'Script', topic: name, script }
    worker.startTask({ connectorName: script, taskNumber: 0, config, storedOffsets: [] })
  }
  await eventually('both have started', () => started.size === 2)
  await worker.stopTasks('cannot be stopped', 1_000)
  assert.deepEqual([...failures.keys()], ['works'])
  assert.match(failures.get('works')?.trace ?? '', /task cannot be stopped-0 shared it and did not stop within 1000 ms/)
  await worker.stop(10_000)
})
