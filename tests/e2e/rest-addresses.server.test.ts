/**
 * The addresses of the machine at which the REST interface answers. It answers before the worker reaches the brokers,
 * so the test needs none. (It starts the processes of three services: hence a server test.)
 */
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { eventually, freePort, runProgram, useProgram } from '@tributary/testkit'

const MAIN = await useProgram()

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
/** The machine's address in its network; a sandbox without a network has none. */
const outer = addresses.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address)
const hasIpv6 = addresses.some(({ address }) => address === '::1')

/** Those of the given addresses at which a service with this `REST_HOST_NAME` answers. */
async function answeringAt(restHost: string, candidates: readonly string[]): Promise<readonly string[]> {
  const port = await freePort()
  const stop = new AbortController()
  const env = {
    BOOTSTRAP_SERVERS: '127.0.0.1:1',
    CONFIG_STORAGE_TOPIC: 'configs',
    OFFSET_STORAGE_TOPIC: 'offsets',
    REST_HOST_NAME: restHost,
    REST_PORT: String(port),
  }
  // If a failure left the program running, this process would not end.
  using _stopped = { [Symbol.dispose]: (): void => stop.abort() }
  const run = runProgram(process.execPath, [MAIN, 'start'], { env, signal: stop.signal })
  const answers = async (host: string): Promise<boolean> => {
    try {
      const { status } = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/health`)
      return status === 503
    } catch {
      return false
    }
  }
  await eventually('the service listens', () => answers('127.0.0.1'), { timeoutMs: 60_000 })
  const found: string[] = []
  for (const host of candidates) if (await answers(host)) found.push(host)
  stop.abort()
  assert.equal((await run).code, 0)
  return found
}

test('one address, all of IPv4, or all', async () => {
  // On Linux all of 127.0.0.0/8 is this machine.
  const ipv4 = ['127.0.0.1', '127.0.0.2', ...outer]
  const all = [...ipv4, ...(hasIpv6 ? ['::1'] : [])]
  const [one, ofIpv4, everywhere] = await Promise.all([
    answeringAt('127.0.0.1', all),
    answeringAt('0.0.0.0', all),
    answeringAt('', all),
  ])
  assert.deepEqual(one, ['127.0.0.1'])
  assert.deepEqual(ofIpv4, ipv4)
  assert.deepEqual(everywhere, all)
})
