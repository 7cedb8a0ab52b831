/** A worker whose main thread is blocked for good, as by an endless loop in a plug-in, ends in bounded time. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { eventually, kafkaClient, startService, useKafka, type Service } from '@tributary/testkit'

/** Blocks the main thread on SIGUSR2. A process cannot be made to do that from outside. */
const BLOCKER = 'data:text/javascript,process.on("SIGUSR2",()=>{process.stderr.write("blocked\\n");for(;;);})'

async function blockable(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const { bootstrapServers } = await useKafka()
  return startService({ bootstrapServers, env, nodeArgs: ['--import', BLOCKER] })
}

async function hasEnded(pid: number): Promise<boolean> {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}

test('SIGTERM to a blocked worker ends it, and the log reports why', async () => {
  await using service = await blockable()
  const { pid } = service
  process.kill(pid, 'SIGUSR2')
  await service.waitForLog(/blocked/)
  process.kill(pid, 'SIGTERM')
  await service.waitForLog(/tributary: The main thread has not responded for 10 s: requests to stop have no effect/)
  await eventually('the process has ended', () => hasEnded(pid), { timeoutMs: 60_000 })
  assert.match(service.log, /tributary: The main thread has not responded for 30 s. The process ends now;/)
  assert.doesNotMatch(service.log, /Received SIGTERM/)
  // The next one takes its place at once.
  await service.kill()
  await service.start()
})

test('a stop that the blocked main thread has begun ends at its own limit', async () => {
  await using service = await blockable({ CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS: '0' })
  const { pid } = service
  // The stop waits for this request, which is incomplete, for up to 5 s.
  await using request = connect(service.port, '127.0.0.1')
  request.on('error', () => undefined)
  await new Promise<void>((resolve) => request.write('GET /connectors HTTP/1.1\r\n', () => resolve()))
  process.kill(pid, 'SIGTERM')
  await service.waitForLog(/Received SIGTERM/)
  process.kill(pid, 'SIGUSR2')
  await service.waitForLog(/blocked/)
  await eventually('the process has ended', () => hasEnded(pid), { timeoutMs: 60_000 })
  assert.match(service.log, /did not stop within 15 s after the request to stop/)
})

test('a worker that was suspended for longer than any limit continues', async () => {
  await using service = await blockable()
  const { pid } = service
  process.kill(pid, 'SIGSTOP')
  await eventually(
    'its session has ended',
    async () => {
      const { bootstrapServers } = await useKafka()
      await using group = (await kafkaClient(bootstrapServers)).group({
        groupId: service.name,
        protocolType: 'connect',
        protocols: [],
        sessionTimeoutMs: 10_000,
        rebalanceTimeoutMs: 10_000,
        requestTimeoutMs: 10_000,
      })
      return (await group.describe()).members.length === 0
    },
    { timeoutMs: 60_000 },
  )
  process.kill(pid, 'SIGCONT')
  await service.waitForLog(/The worker has confirmed its membership: its tasks continue/)
  assert.equal((await service.rest('GET', '/health')).status, 200)
  assert.doesNotMatch(service.log, /has not responded/)
})
