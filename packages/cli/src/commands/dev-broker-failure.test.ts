/** A development broker that fails while a command starts. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freePort, temporaryFolder } from '@tributary/testkit'
import { runCli } from '../testing/cli-process.ts'

/** Ends the thread of the broker as soon as it has reported that it is ready. */
const ENDING_BROKER = `
  import { isMainThread, parentPort, workerData } from 'node:worker_threads'
  if (!isMainThread && workerData?.folder?.endsWith('broker')) {
    const post = parentPort.postMessage.bind(parentPort)
    parentPort.postMessage = (message) => {
      post(message)
      if (message.tag === 'ready') setImmediate(() => process.exit())
    }
  }`

test('its error ends start and dev, also while dev waits for the database', { timeout: 180_000 }, async () => {
  await using folder = temporaryFolder('dev')
  const preload = join(folder.path, 'preload.mjs')
  writeFileSync(preload, ENDING_BROKER)
  const environment = { NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`, TMPDIR: folder.path }
  const rest = { REST_HOST_NAME: '127.0.0.1', REST_PORT: String(await freePort()) }
  const started = await runCli(['start', '--dev-broker'], { ...environment, ...rest })
  assert.equal(started.code, 1, started.stdout)
  assert.match(started.stdout, /Worker cannot start: The development broker has failed: its thread has ended\./)

  // A database that never answers.
  const database = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => database.listen(port, '127.0.0.1', resolve))
  const dev = await runCli(['dev', `mysql://root:@127.0.0.1:${port}/shop`], environment)
  database.close()
  assert.equal(dev.code, 1, dev.stderr)
  assert.match(dev.stderr, /tributary dev: The development broker has failed: its thread has ended\. Start the command/)
})
