import { LogLevels, systemClock } from '@tributary/support'
import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningTask } from './running-task.ts'

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
