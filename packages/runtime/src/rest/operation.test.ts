import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { runOperation } from './operation.ts'
import type { OperationOptions } from './operation.ts'
import { RequestError } from './request-error.ts'
import type { RestAnswer, RestRequest } from './rest-answer.ts'

const request: RestRequest = {
  parameters: {},
  query: new URLSearchParams(),
  headers: {},
  body: Buffer.alloc(0),
  role: 'full',
}

test('answers an operation that takes too long, and reports that it may still complete', async () => {
  const clock = fakeClock()
  const answer = runOperation(() => new Promise<RestAnswer>(() => undefined), request, options({ clock }))
  await clock.advance(90_000)
  const { status, document } = await answer
  assert.equal(status, 500)
  assert.match(
    JSON.stringify(document),
    /Request timed out\. POST \/connectors took longer than 90 s\. It may still complete/,
  )
})

test('an operation that completes cancels its timer', async () => {
  const clock = fakeClock()
  await runOperation(() => Promise.resolve({ status: 204 }), request, options({ clock }))
  assert.equal(clock.pending, 0)
})

test('answers a failure that the request caused without logging it', async () => {
  const logger = captureLogger()
  const refuse = (): RestAnswer => {
    throw new RequestError(409, 'Connector a already exists')
  }
  const answer = await runOperation(refuse, request, options({ logger }))
  assert.deepEqual(answer, { status: 409, document: { error_code: 409, message: 'Connector a already exists' } })
  assert.deepEqual(logger.lines, [])
})

test('answers any other failure with its message and logs the error', async () => {
  const logger = captureLogger()
  const error = new Error('the log is full')
  const answer = await runOperation(() => Promise.reject(error), request, options({ logger }))
  assert.deepEqual(answer, { status: 500, document: { error_code: 500, message: 'the log is full' } })
  assert.deepEqual(logger.lines, [{ level: 'error', message: 'POST /connectors failed', fields: { error } }])
})

function options(given: Partial<OperationOptions>): OperationOptions {
  return { title: 'POST /connectors', logger: silentLogger, clock: fakeClock(), timeoutMs: 90_000, ...given }
}
