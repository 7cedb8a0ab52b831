import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedAddress } from './shared-addresses.ts'
import { SharedServers } from './shared-servers.ts'

/** The address as a test process with this environment gets it. */
async function addressFor(
  environment: Readonly<Record<string, string>>,
  name: 'kafka' | 'devBroker' | 'mysql',
): Promise<unknown> {
  const before = process.env['TRIBUTARY_TEST_SERVERS']
  Object.assign(process.env, environment)
  try {
    return await sharedAddress(name)
  } finally {
    process.env['TRIBUTARY_TEST_SERVERS'] = before ?? ''
  }
}

test('a server starts when it is first asked for, once, and ends with the runner', async () => {
  const events: string[] = []
  const start = (name: string) => async () => {
    events.push(`${name} starts`)
    return { bootstrapServers: [`${name}:1`], [Symbol.asyncDispose]: async () => void events.push(`${name} ends`) }
  }
  const shared = await SharedServers.listen({ kafka: start('kafka'), devBroker: start('dev broker') })
  assert.deepEqual(events, [])

  const asked = Array.from({ length: 3 }, () => addressFor(shared.environment, 'devBroker'))
  assert.deepEqual(await Promise.all(asked), Array(3).fill({ bootstrapServers: ['dev broker:1'] }))
  assert.deepEqual(events, ['dev broker starts'])

  await shared[Symbol.asyncDispose]()
  assert.deepEqual(events, ['dev broker starts', 'dev broker ends'])
})

test('a server that does not start fails each test that asks for it, with the reason', async () => {
  const reason = 'mysqld ended while it was starting'
  await using shared = await SharedServers.listen({ mysql: () => Promise.reject(new Error(reason)) })
  for (let i = 0; i < 2; i++) {
    await assert.rejects(addressFor(shared.environment, 'mysql'), (error: Error) => error.message.includes(reason))
  }
})

test('without a runner there is no address', async () => {
  assert.equal(await addressFor({ TRIBUTARY_TEST_SERVERS: '' }, 'kafka'), undefined)
})
