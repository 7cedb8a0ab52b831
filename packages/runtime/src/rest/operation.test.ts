import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import type { RestAnswer, RestRequest } from './handlers.ts'
import { runOperation } from './operation.ts'
import type { OperationOptions } from './operation.ts'
import { RequestError } from './request-error.ts'

const request: RestRequest = { parameters: {}, query: new URLSearchParams(), headers: {}, body: Buffer.alloc(0) }

test('an operation that takes too long is answered, and says that it may go on', async () => {
  const clock = fakeClock()
  const answer = runOperation(() => new Promise<RestAnswer>(() => undefined), request, options({ clock }))
  await clock.advance(90_000)
  const { status, document } = await answer
  assert.equal(status, 500)
  assert.match(
    JSON.stringify(document),
    /Request timed out\. POST \/connectors took longer than 90 s\. It may still be done/,
  )
})

test('an operation that is done leaves no timer behind', async () => {
  const clock = fakeClock()
  await runOperation(() => Promise.resolve({ status: 204 }), request, options({ clock }))
  assert.equal(clock.pending, 0)
})

test('what a client has caused is answered and not logged', async () => {
  const logger = captureLogger()
  const refuse = (): RestAnswer => {
    throw new RequestError(409, 'Connector a already exists')
  }
  const answer = await runOperation(refuse, request, options({ logger }))
  assert.deepEqual(answer, { status: 409, document: { error_code: 409, message: 'Connector a already exists' } })
  assert.deepEqual(logger.lines, [])
})

test('what no client has caused is answered with its message and logged with the error', async () => {
  const logger = captureLogger()
  const error = new Error('the log is full')
  const answer = await runOperation(() => Promise.reject(error), request, options({ logger }))
  assert.deepEqual(answer, { status: 500, document: { error_code: 500, message: 'the log is full' } })
  assert.deepEqual(logger.lines, [{ level: 'error', message: 'POST /connectors failed', fields: { error } }])
})

function options(given: Partial<OperationOptions>): OperationOptions {
  return { title: 'POST /connectors', logger: silentLogger, clock: fakeClock(), timeoutMs: 90_000, ...given }
}
