import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { assert, describeError } from '@tributary/support'
import { startDevBroker } from '../broker/start-dev-broker.ts'
import { startMariaDb, startMySql } from '../database/start-database.ts'
import { startKafka } from '../kafka/start-kafka.ts'
import { PORT_VARIABLE } from './shared-addresses.ts'
import type { SharedAddresses, SharedName } from './shared-addresses.ts'
import { SOURCE_ENTRY } from './use-program.ts'

/** How each server is started, and the program built. */
export type SharedStarts = { readonly [K in SharedName]: () => Promise<SharedAddresses[K] & Partial<AsyncDisposable>> }

const STARTS: SharedStarts = {
  kafka: startKafka,
  devBroker: startDevBroker,
  mysql: startMySql,
  mariadb: startMariaDb,
  program: async () => ({ entry: SOURCE_ENTRY }),
}

/**
 * The servers of a test runner. Each is started for the first test process that asks for it (sharedAddress) and is
 * stopped on disposal, so that a run starts only what its tests use.
 *
 *     await using servers = await SharedServers.listen()
 *     spawn(…, { env: { ...process.env, ...servers.environment } })
 */
export class SharedServers implements AsyncDisposable {
  readonly #server: Server
  readonly #starts: SharedStarts
  readonly #started = new Map<SharedName, Promise<object>>()
  readonly #stack = new AsyncDisposableStack()

  private constructor(starts: SharedStarts) {
    this.#starts = starts
    this.#server = createServer((request, response) => void this.#answer((request.url ?? '/').slice(1), response))
  }

  /** `starts` replaces the start functions of single servers; what those return is disposed of if it can be. */
  static async listen(starts: Partial<SharedStarts> = {}): Promise<SharedServers> {
    const servers = new SharedServers({ ...STARTS, ...starts })
    servers.#server.listen(0, '127.0.0.1')
    await once(servers.#server, 'listening')
    return servers
  }

  /** The environment variables for the test processes. */
  get environment(): Record<string, string> {
    const address = this.#server.address()
    assert(typeof address === 'object' && address !== null, 'a listening server has an address')
    return { [PORT_VARIABLE]: String(address.port) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await Promise.allSettled(this.#started.values())
    await this.#stack.disposeAsync()
  }

  async #answer(name: string, response: ServerResponse): Promise<void> {
    try {
      assert(isSharedName(name), `${name} is a shared server`)
      const address = await this.#startOnce(name)
      response.end(JSON.stringify(address))
    } catch (error) {
      response.writeHead(500).end(describeError(error))
    }
  }

  #startOnce(name: SharedName): Promise<object> {
    const known = this.#started.get(name)
    if (known !== undefined) return known
    const start = this.#start(name)
    this.#started.set(name, start)
    return start
  }

  async #start(name: SharedName): Promise<object> {
    const server = await this.#starts[name]()
    this.#stack.defer(async () => server[Symbol.asyncDispose]?.())
    return plainAddress(server)
  }
}

function isSharedName(name: string): name is SharedName {
  return name in STARTS
}

function plainAddress(server: SharedAddresses[SharedName]): object {
  if ('bootstrapServers' in server) return { bootstrapServers: server.bootstrapServers }
  if ('entry' in server) return { entry: server.entry }
  const { port, version, dataFolder } = server
  return { port, version, dataFolder }
}
