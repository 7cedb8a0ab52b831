import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendToManager } from './notify-command.ts'
import { ServiceManager, type Observation } from './service-manager.ts'

interface Fixture {
  readonly manager: ServiceManager
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  /** The messages, in the order in which they were sent. */
  readonly sent: string[]
}

function fixture(environment: Readonly<Record<string, string>> = { NOTIFY_SOCKET: '/run/systemd/notify' }): Fixture {
  const [clock, logger, sent] = [fakeClock(), captureLogger(), [] as string[]]
  const manager = new ServiceManager({
    environment,
    logger,
    clock,
    send: async (_environment, fields) => {
      sent.push(Array.from(fields, ([name, value]) => `${name}=${value}`).join())
      return null
    },
  })
  return { manager, clock, logger, sent }
}

const healthy: Observation = { summary: '1 connector', blockedTasks: [] }

test('fields that are set together share a message; a later value replaces an earlier one, and is not repeated', async () => {
  const { manager, sent } = fixture()
  manager.status('Waiting')
  manager.status('Joining')
  manager.ready(async () => healthy)
  manager.status('1 connector')
  await manager.delivered()
  assert.deepEqual(sent, ['STATUS=1 connector,READY=1'])
})

test('a status is one field, whatever its text', async () => {
  const { manager, sent } = fixture()
  manager.status('Waiting for x\nMAINPID=1\u001B[2J')
  await manager.delivered()
  assert.deepEqual(sent, [String.raw`STATUS=Waiting for x MAINPID=1\u001b[2J`])
})

test('nothing is sent without a service manager', async () => {
  const { manager, sent } = fixture({})
  manager.status('Waiting')
  manager.ready(() => Promise.reject(new Error('must not be called')))
  manager.stopping()
  await manager.delivered()
  assert.deepEqual(sent, [])
})

test('the watchdog of another process gets no reports', async () => {
  const { manager, sent } = fixture({ NOTIFY_SOCKET: '@a', WATCHDOG_USEC: '1000000', WATCHDOG_PID: '1' })
  manager.ready(async () => healthy)
  await manager.delivered()
  assert.deepEqual(sent, ['READY=1', 'STATUS=1 connector'])
})

test('a worker that cannot be observed is not reported as healthy', async () => {
  const { manager, logger, sent } = fixture({ NOTIFY_SOCKET: '@a', WATCHDOG_USEC: '1000000' })
  manager.ready(() => Promise.reject(new Error('no answer')))
  await manager.delivered()
  assert.deepEqual(sent, ['READY=1'])
  assert.equal(logger.matching('cannot be determined: no answer').length, 1)
})

test('a message that cannot be delivered is a warning with the reason', async () => {
  const logger = captureLogger()
  const environment = { NOTIFY_SOCKET: '/no/such/socket', PATH: process.env['PATH'] ?? '' }
  const manager = new ServiceManager({ environment, logger, clock: fakeClock(), send: sendToManager })
  manager.status('Waiting')
  await manager.delivered()
  assert.equal(logger.matching(/systemd was not notified \(STATUS\): .*No such file/).length, 1)
})

test('without systemd-notify the warning names the package and the alternative', async () => {
  const reason = await sendToManager({ NOTIFY_SOCKET: '@a', PATH: '/nowhere' }, new Map([['READY', '1']]))
  assert.match(reason ?? '', /systemd-notify is not on the PATH\. Install it .*or set Type=exec/)
})
