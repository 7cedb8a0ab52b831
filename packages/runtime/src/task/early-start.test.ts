import type { SourceTask, SourceTaskContext } from '@tributary/connect-api'
import { StoppedError } from '@tributary/support'
import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EarlyStart } from './early-start.ts'

interface Started {
  readonly early: EarlyStart
  readonly calls: string[]
  readonly stop: AbortController
  readonly logger: ReturnType<typeof captureLogger>
}

/** With a task that notes its calls and starts as told. */
function begin(start: (signal: AbortSignal) => Promise<void>, onStop = (): void => undefined): Started {
  const [calls, stop, logger]: [string[], AbortController, Started['logger']] = [
    [],
    new AbortController(),
    captureLogger(),
  ]
  const task: SourceTask = {
    start: (_context, signal) => {
      calls.push('start')
      return start(signal)
    },
    poll: () => Promise.resolve({ records: [], progress: null }),
    stop: () => {
      calls.push('stop')
      onStop()
      return Promise.resolve()
    },
  }
  const early = new EarlyStart({ task, context: {} as SourceTaskContext, signal: stop.signal, logger })
  return { early, calls, stop, logger }
}

function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new StoppedError()), { once: true })
  })
}

test('the start is begun at once; whoever takes it stops the task', async () => {
  const { early, calls } = begin(() => Promise.resolve())
  assert.deepEqual(calls, ['start'])
  await early.take()
  await early[Symbol.asyncDispose]()
  assert.deepEqual(calls, ['start'])
})

test('what keeps the task from starting is told to whoever takes it, however late', async () => {
  const { early } = begin(() => Promise.reject(new Error('no database')))
  // An error that nobody has taken yet would end the thread by now.
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(early.take(), /no database/)
})

test('one that nobody takes is given up, and its task is stopped; a task that stops badly hides nothing', async () => {
  const { early, calls, logger } = begin(untilStopped, () => {
    throw new Error('no end')
  })
  await early[Symbol.asyncDispose]()
  assert.deepEqual(calls, ['start', 'stop'])
  assert.equal(logger.matching('The task did not stop cleanly').length, 1)
})

test('a stop ends a start that was taken', async () => {
  const { early, stop } = begin(untilStopped)
  const taken = early.take()
  stop.abort()
  await assert.rejects(taken, StoppedError)
})
