/**
 * Both sides see the same configuration, target state and offsets of a connector; each finds what the other changed
 * over REST.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, type Service, useKafka, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'

interface Status {
  readonly connector: { readonly state: string }
  readonly tasks: readonly { readonly state: string }[]
}

async function ask(worker: Service, path: string): Promise<unknown> {
  const { status, json, text } = await worker.rest('GET', path)
  assert.equal(status, 200, text)
  return json
}

/** Waits until connector and tasks have those states. */
async function waitForStates(
  worker: Service,
  name: string,
  connector: string,
  tasks: readonly string[],
): Promise<void> {
  let seen = ''
  await eventually(
    `${name} is ${connector} with tasks [${tasks.join()}]`,
    async () => {
      const { json } = await worker.rest('GET', `/connectors/${name}/status`)
      seen = JSON.stringify(json)
      const status = json as Status
      return status.connector.state === connector && status.tasks.map(({ state }) => state).join() === tasks.join()
    },
    { timeoutMs: 120_000 },
  ).catch((error: unknown) => {
    throw new Error(`last status: ${seen}`, { cause: error })
  })
}

async function put(worker: Service, path: string): Promise<void> {
  const { status, text } = await worker.rest('PUT', path)
  assert.ok(status === 202 || status === 204, `${status} ${text}`)
}

test('paused and stopped connectors stay so; the other side sees configuration, offsets and deletion', async (t) => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t) })
  const path = `/connectors/${relay.name}`
  const stored = { ...relay.config, name: relay.name }

  // Tributary registers and pauses.
  await relay.begin('tributary')
  const tributary = relay.worker('tributary')
  await put(tributary, `${path}/pause`)
  await waitForStates(tributary, relay.name, 'PAUSED', ['PAUSED'])
  const offsets = await ask(tributary, `${path}/offsets`)
  await relay.halt()
  await relay.change()

  // Kafka Connect leaves it paused, resumes and stops it.
  const connect = await relay.start('connect')
  await waitForStates(connect, relay.name, 'PAUSED', ['PAUSED'])
  assert.deepEqual(await ask(connect, `${path}/config`), stored)
  assert.deepEqual(await ask(connect, `${path}/offsets`), offsets)
  await put(connect, `${path}/resume`)
  await relay.waitUntilTold()
  await waitForStates(connect, relay.name, 'RUNNING', ['RUNNING'])
  await put(connect, `${path}/stop`)
  await waitForStates(connect, relay.name, 'STOPPED', [])
  const offsetsOfConnect = await ask(connect, `${path}/offsets`)
  await relay.halt()
  await relay.change()

  // Tributary leaves it stopped, resumes and pauses it.
  await relay.start('tributary')
  await waitForStates(tributary, relay.name, 'STOPPED', [])
  assert.deepEqual(await ask(tributary, `${path}/config`), stored)
  assert.deepEqual(await ask(tributary, `${path}/offsets`), offsetsOfConnect)
  await put(tributary, `${path}/resume`)
  await relay.waitUntilTold()
  await put(tributary, `${path}/stop`)
  await waitForStates(tributary, relay.name, 'STOPPED', [])
  await relay.halt()
  await relay.change()

  // Kafka Connect leaves it stopped, pauses it from there and resumes it.
  await relay.start('connect')
  await waitForStates(connect, relay.name, 'STOPPED', [])
  await put(connect, `${path}/resume`)
  await relay.waitUntilTold()
  await put(connect, `${path}/pause`)
  await waitForStates(connect, relay.name, 'PAUSED', ['PAUSED'])
  await relay.halt()

  // Tributary leaves it paused, and deletes it.
  await relay.start('tributary')
  await waitForStates(tributary, relay.name, 'PAUSED', ['PAUSED'])
  await put(tributary, `${path}/resume`)
  await relay.change()
  await relay.waitUntilTold()
  const result = await relay.check()
  t.diagnostic(JSON.stringify(result))
  assert.equal(result.repeats, 0)
  assert.equal((await tributary.rest('DELETE', path)).status, 204)
  await relay.halt()

  await relay.start('connect')
  assert.deepEqual(await ask(connect, '/connectors'), [])
  // Tributary understands everything that it reads: it skipped no record of the other side.
  assert.doesNotMatch(tributary.log, /Skipping a record|is not understood/)
  assert.doesNotMatch(connect.log, / ERROR /)
})
