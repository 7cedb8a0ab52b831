import { defineErrors } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTrace } from './trace.ts'

const errors = defineErrors({
  BROKEN: {
    message: '{what} is broken',
    action: 'Repair it.',
    className: 'org.apache.kafka.connect.errors.DataException',
  },
})

/** The lines that are not frames. */
function headings(trace: string): readonly string[] {
  return trace.split('\n').filter((line) => !line.startsWith('\tat '))
}

test('the first line is class, message and code; causes follow as Java prints them', () => {
  const root = new TypeError('x is undefined')
  const trace = formatTrace(errors.BROKEN({ what: 'the table' }, new Error('while reading', { cause: root })))
  assert.deepEqual(headings(trace), [
    'org.apache.kafka.connect.errors.DataException: the table is broken Repair it. [BROKEN]',
    'Caused by: Error: while reading',
    'Caused by: TypeError: x is undefined',
  ])
})

test('causes follow a deep stack, too', () => {
  const deep = (depth: number): Error =>
    depth === 0 ? new Error('outer', { cause: new Error('inner') }) : deep(depth - 1)
  const trace = formatTrace(deep(30))
  assert.deepEqual(headings(trace), ['Error: outer', 'Caused by: Error: inner'])
})

test('the trace contains the frames of the program only, with paths relative to the checkout', () => {
  const error = new Error('x')
  error.stack = [
    'Error: x',
    '    at WorkerSourceTask.run (file:///srv/tributary/packages/runtime/src/task/worker-source-task.ts:90:7)',
    '    at async fromPackage (file:///srv/tributary/node_modules/mysql2/lib/connection.js:1:1)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
  ].join('\n')
  assert.equal(
    formatTrace(error),
    'Error: x\n\tat WorkerSourceTask.run (packages/runtime/src/task/worker-source-task.ts:90:7)',
  )
})

test('any thrown value has a trace; a cycle of causes ends; a long text is cut', () => {
  assert.equal(formatTrace('just text').split('\n')[0], 'Error: just text')
  const circular = new Error('again')
  circular.cause = circular
  assert.equal(headings(formatTrace(circular)).length, 8)
  const long = formatTrace(new Error('y'.repeat(1_000_000)))
  assert.deepEqual([long.length, long.at(-1)], [20_001, '…'])
})
