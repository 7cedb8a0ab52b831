import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { randomInt } from 'node:crypto'
import { testkitErrors } from '../errors.ts'

const FIRST_PORT = 15_000
const ATTEMPTS = 100
const returned = new Set<number>()

/**
 * Returns a TCP port on 127.0.0.1 that is not in use and that this process has not returned before.
 *
 * The port is below the kernel's ephemeral range, from which the kernel takes the local ports of outgoing connections.
 * An outgoing connection could otherwise take the port before the server starts, or while the server is being
 * restarted.
 */
export async function freePort(): Promise<number> {
  const end = ephemeralStart()
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, end)
    if (!returned.has(port) && (await isFree(port))) {
      returned.add(port)
      return port
    }
  }
  throw testkitErrors.NO_FREE_PORT({ attempts: ATTEMPTS, first: FIRST_PORT, last: end - 1 })
}

function ephemeralStart(): number {
  const start = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  // Where the ephemeral range starts too low, ports come from it; 32768 is Linux's default start.
  return start > FIRST_PORT + 1000 ? start : 32_768
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
