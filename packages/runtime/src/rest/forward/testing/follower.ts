import { silentLogger, systemClock, type Clock } from '@tributary/support'
import type { HerderProblem } from '../../../herder/herder-error.ts'
import { HerderGate } from '../../herder-gate.ts'
import { startRestServer, type RestServer, type RestServerOptions } from '../../rest-server.ts'
import { MemoryHerder } from '../../testing/memory-herder.ts'
import { Forwarder } from '../forwarder.ts'
import { WorkerClient } from '../worker-client.ts'

export interface Follower extends AsyncDisposable {
  readonly herder: MemoryHerder
  readonly server: RestServer
  readonly forwarder: Forwarder
}

/** A worker that cannot change anything, because of `problem`, and forwards requests. */
export async function startFollower(
  problem: HerderProblem | null,
  options: Partial<RestServerOptions> & { readonly clock?: Clock; readonly timeoutMs?: number } = {},
): Promise<Follower> {
  const herder = new MemoryHerder()
  herder.otherWorker = problem
  const gate = HerderGate.opened(herder)
  const { clock = systemClock, timeoutMs = 10_000, ...more } = options
  const client = new WorkerClient({ tls: () => ({ checkHostName: true }), clock, timeoutMs })
  const forwarder = new Forwarder({ client, gate, clock, logger: silentLogger })
  const server = await startRestServer({
    host: '127.0.0.1',
    port: 0,
    gate,
    logger: silentLogger,
    forwarder,
    clock,
    ...more,
  })
  return {
    herder,
    server,
    forwarder,
    [Symbol.asyncDispose]: async () => {
      forwarder[Symbol.dispose]()
      await server.close()
    },
  }
}
