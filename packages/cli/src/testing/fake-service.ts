import { createServer, type RequestListener } from 'node:http'
import { freePort } from '@tributary/testkit'

export interface FakeService extends AsyncDisposable {
  readonly url: string
}

/** A server that answers instead of the service. */
export async function fakeService(answer: RequestListener): Promise<FakeService> {
  const server = createServer(answer)
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

/** Answers every request with one page. */
export function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}
