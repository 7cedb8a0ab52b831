import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The answer of a failing registry. */
export interface FaultyAnswer {
  readonly status: number
  readonly body: string
}

const TLS = fileURLToPath(new URL('../../../packages/kafka/fixtures/tls/', import.meta.url))

/** The authority of the TLS front's certificate. */
export const FRONT_AUTHORITY: string = `${TLS}ca.pem`

/** Forwards requests to a real registry, or answers instead of it as a failing registry does. */
export class RegistryFront implements AsyncDisposable {
  /** Sent instead of the registry's own answer; null when requests are forwarded. */
  fault: FaultyAnswer | null = null
  readonly #plain: Server
  readonly #tls: Server

  private constructor(registryUrl: string) {
    const listener: RequestListener = (request, response) => {
      void (async (): Promise<void> => {
        const answer = this.fault ?? (await passOn(registryUrl, request))
        response.writeHead(answer.status, { 'Content-Type': 'application/json' })
        response.end(answer.body)
      })()
    }
    const pem = readFileSync(`${TLS}broker.pem`)
    this.#plain = createServer(listener)
    this.#tls = createTlsServer({ key: pem, cert: pem }, listener)
  }

  /** `registryUrl`: with the path of the interface. */
  static async start(registryUrl: string): Promise<RegistryFront> {
    const front = new RegistryFront(registryUrl)
    await Promise.all([listen(front.#plain), listen(front.#tls)])
    return front
  }

  get port(): number {
    return portOf(this.#plain)
  }

  get tlsUrl(): string {
    return `https://localhost:${portOf(this.#tls)}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#plain, this.#tls]) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

async function passOn(registryUrl: string, request: IncomingMessage): Promise<FaultyAnswer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = 'GET', url = '' } = request
  const answer = await fetch(registryUrl + url, {
    method,
    headers: { 'Content-Type': request.headers['content-type'] ?? 'application/json' },
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  })
  return { status: answer.status, body: await answer.text() }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}

function portOf(server: Server): number {
  // It listens on a port, not on a path.
  return (server.address() as AddressInfo).port
}
