import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Fault } from './fault.ts'
import { FakeSession, type FakeSessionOptions } from './fake-session.ts'
import type { FakeServerState } from './server-state.ts'

export interface FakeServerOptions extends Omit<FakeSessionOptions, 'bend' | 'state'> {
  readonly faults?: readonly Fault[]
}

/**
 * A server with a script that speaks enough of MySQL's protocol for a check, a snapshot and a stream of the connector,
 * and violates it at the places that a fault names. Tests of correct behaviour use a real server.
 */
export class FakeServer implements AsyncDisposable {
  readonly host = '127.0.0.1'
  port = 0
  readonly state: FakeServerState = { hasDumped: false, unanswered: [], bytesSent: 0, struck: 0 }
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #left: { readonly fault: Fault; times: number }[]

  constructor({ faults = [], ...options }: FakeServerOptions) {
    this.#left = faults.map((fault) => ({ fault, times: fault.times ?? 1 }))
    const bend: FakeSessionOptions['bend'] = (point, bytes) => {
      const found = this.#left.find(({ fault, times }) => times > 0 && fault.matches(point))
      if (found === undefined) return { send: [bytes], ending: 'continue' }
      found.times -= 1
      this.state.struck += 1
      return found.fault.bend(bytes)
    }
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#sockets.delete(socket)
      })
      new FakeSession(socket, { ...options, bend, state: this.state }).run().catch(() => socket.destroy())
    })
    this.#server.unref()
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, this.host, resolve)
    })
    this.port = (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Starts a fake server on a free port of loopback. */
export async function startFakeServer(options: FakeServerOptions): Promise<FakeServer> {
  const server = new FakeServer(options)
  await server.listen()
  return server
}
