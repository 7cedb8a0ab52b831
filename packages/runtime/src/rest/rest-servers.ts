import type { ConfigMap } from '@tributary/connect-api'
import { assert, systemClock } from '@tributary/support'
import type { RestListener } from '../config/rest-settings.ts'
import type { Forwarder } from './forward/forwarder.ts'
import type { ListenerTls } from './listener-tls.ts'
import { startRestServer, type RestServer, type RestServerOptions } from './rest-server.ts'
import { EventStreams } from './ui/event-streams.ts'

export interface RestServersOptions extends Omit<RestServerOptions, 'host' | 'port' | 'tls'> {
  /** Settings of the listeners; their TLS is read only if one of them has it. */
  readonly properties: ConfigMap
}

/**
 * Starts the REST interface on each address of `listeners`.
 *
 * @throws an error of `restErrors` when one of them cannot listen, or of the settings of TLS
 */
export async function startRestServers(
  listeners: readonly RestListener[],
  { properties, ...options }: RestServersOptions,
): Promise<RestServers> {
  await using stack = new AsyncDisposableStack()
  const tls = listeners.some(({ isTls }) => isTls) ? await readTls(properties) : null
  // Their limits are those of the worker.
  const streams = new EventStreams(options.clock ?? systemClock)
  const servers: RestServer[] = []
  for (const { host, port, isTls } of listeners) {
    const server = await startRestServer({ streams, ...options, host: host ?? '::', port, tls: isTls ? tls : null })
    servers.push(stack.use(server))
  }
  stack.move()
  return new RestServers(servers, options.forwarder ?? null)
}

async function readTls(properties: ConfigMap): Promise<ListenerTls> {
  const { readListenerTls } = await import('./listener-tls.ts')
  return readListenerTls(properties)
}

/** The REST interface on all of its addresses. */
export class RestServers implements AsyncDisposable {
  /** Of `listeners`: the first one with http, or else the first one. Others reach the worker there. */
  readonly main: RestServer
  readonly #servers: readonly RestServer[]
  readonly #forwarder: Forwarder | null

  constructor(servers: readonly RestServer[], forwarder: Forwarder | null) {
    const main = servers.find(({ url }) => url.startsWith('http:')) ?? servers[0]
    assert(main !== undefined, 'the worker has at least one listener')
    this.main = main
    this.#servers = servers
    this.#forwarder = forwarder
  }

  /** The ports on which the listeners are open, in the order of the listeners. */
  get ports(): readonly number[] {
    return this.#servers.map(({ port }) => port)
  }

  /** May be called more than once. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()))
    this.#forwarder?.[Symbol.dispose]()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
