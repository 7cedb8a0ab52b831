import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  /** The body as received. */
  readonly text: string
}

/** An answer; null cuts the connection. */
export type Reply = { readonly status: number; readonly body: unknown } | null

/** An HTTP server whose answers a test scripts, for failures that real registries cannot be made to have. */
export interface ScriptedRegistry extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly SeenRequest[]
  reply: (request: SeenRequest) => Reply | Promise<Reply>
  /** Clears the list of requests. */
  forget(): void
}

export async function scriptedRegistry(reply: ScriptedRegistry['reply']): Promise<ScriptedRegistry> {
  const requests: SeenRequest[] = []
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const { method = '', url: path = '', headers } = request
      const seen = { method, path, headers, body: text === '' ? null : (JSON.parse(text) as unknown), text }
      requests.push(seen)
      const answered = await registry.reply(seen)
      if (answered === null) {
        request.socket.destroy()
        return
      }
      response.writeHead(answered.status, { 'Content-Type': 'application/json' })
      response.end(typeof answered.body === 'string' ? answered.body : JSON.stringify(answered.body))
    }
    void answer()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const registry: ScriptedRegistry = {
    url: `http://127.0.0.1:${port}`,
    requests,
    reply,
    forget: () => void requests.splice(0),
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return registry
}
