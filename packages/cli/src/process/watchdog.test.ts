import { createLogger } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { Watchdog } from './watchdog.ts'

test('a watchdog that fails is a warning, not the end of the process', { timeout: 30_000 }, async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const alive = keptAlive()

  new Watchdog(new URL('no-such-thread.ts', import.meta.url), createLogger('info', resolve)).watch()

  assert.match(await promise, /"level":"warn".*The watchdog has failed: .*no-such-thread/)
  alive.close()
})

/** Keeps the process alive, which the thread of a watchdog does not. */
function keptAlive(): { close(): void } {
  const { port1 } = new MessageChannel()
  port1.ref()
  return port1
}
