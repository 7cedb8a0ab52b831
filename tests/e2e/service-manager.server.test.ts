/** A worker under a service manager: the messages of sd_notify(3), received by a socket as that of systemd. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  startService,
  temporaryFolder,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import { NotifySocket } from './service-manager/notify-socket.ts'

const WATCHDOG_MS = 2_000

/** Blocks the main thread for a while on SIGUSR2, and each other thread as long as a file exists. */
function blocker(file: string): string {
  const code = `import { existsSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    if (isMainThread) process.on('SIGUSR2', () => pause(${2 * WATCHDOG_MS}))
    else setInterval(() => { while (existsSync(${JSON.stringify(file)})) pause(50) }, 50).unref()`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

test('systemd is informed of start, readiness, state and stop, and its watchdog of a blocked thread', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const name = uniqueName('notified')
  await database.query(`CREATE DATABASE ${name}`)
  await using folder = temporaryFolder('blocked')
  await using systemd = await NotifySocket.open()
  const blocking = join(folder.path, 'blocking')
  await using service = await startService({
    bootstrapServers,
    env: { NOTIFY_SOCKET: systemd.path, WATCHDOG_USEC: String(WATCHDOG_MS * 1_000), WATCHDOG_PID: undefined },
    nodeArgs: ['--import', blocker(blocking)],
  })

  const waiting = await systemd.arrival(/^STATUS=Waiting for the brokers at 127\.0\.0\.1/)
  const ready = await systemd.arrival('READY=1', waiting)
  await systemd.arrival('STATUS=0 connectors; 0 tasks', ready - 1)
  assert.equal(systemd.times('WATCHDOG=1').filter((atMs) => atMs < (systemd.times('READY=1')[0] ?? 0)).length, 0)
  await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name }))
  await service.waitUntilRunning(name)
  const running = await systemd.arrival('STATUS=1 connector: 1 RUNNING; 1 task: 1 RUNNING', ready)
  await systemd.arrival('WATCHDOG=1', running)

  // A task is observed from its first report on.
  await eventually('the task has reported', async () =>
    (await service.rest('GET', '/metrics')).text.includes('tributary_task_metrics_age_seconds{'),
  )
  writeFileSync(blocking, '')
  const blocked = await systemd.arrival(/^STATUS=1 connector.*\. Blocked: notified.*-0$/, running)
  await service.waitForLog(/ERROR .*The threads of these tasks have not answered for 2 s: notified\w+-0/)
  const since = systemd.times('WATCHDOG=1').at(-1) ?? 0
  const live = await service.rest('GET', '/health/live')
  assert.deepEqual([live.status, live.text], [200, '{"status":"live"}'], 'a probe has a longer limit')
  await eventually('the watchdog would have acted', () => performance.now() - since > 1.5 * WATCHDOG_MS)
  assert.equal(systemd.times('WATCHDOG=1').at(-1), since)
  rmSync(blocking)
  const again = await systemd.arrival('WATCHDOG=1', blocked)
  await systemd.arrival('STATUS=1 connector: 1 RUNNING; 1 task: 1 RUNNING', blocked)

  process.kill(service.pid, 'SIGUSR2')
  const before = systemd.times('WATCHDOG=1').at(-1) ?? 0
  await eventually('the main thread has been blocked', () => performance.now() - before > 1.5 * WATCHDOG_MS)
  await systemd.arrival('WATCHDOG=1', systemd.notices.length)
  const times = systemd.times('WATCHDOG=1').filter((atMs) => atMs >= before)
  assert.ok(Math.max(...times.slice(1).map((atMs, i) => atMs - (times[i] ?? atMs))) > WATCHDOG_MS, String(times))

  await service.stop()
  await systemd.arrival('STOPPING=1', again)
  assert.equal(systemd.times('WATCHDOG=1').filter((atMs) => atMs > (systemd.times('STOPPING=1')[0] ?? 0)).length, 0)
  assert.doesNotMatch(service.log, /systemd was not notified/)
})
