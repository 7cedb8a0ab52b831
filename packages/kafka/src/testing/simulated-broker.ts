import { createServer, type AddressInfo, type Socket } from 'node:net'

/*
 * Brokers that are not available for tests (old ones, broken ones) are simulated by a server that answers every request
 * in one way.
 */

export interface SimulatedBroker extends AsyncDisposable {
  readonly port: number
}

export async function simulate(answer: (request: Buffer, socket: Socket) => void): Promise<SimulatedBroker> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (request) => answer(request, socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** ApiVersions response, version 3, to this request. */
export function apiVersions(
  request: Buffer,
  versions: readonly (readonly [key: number, min: number, max: number])[],
): Buffer {
  const entries = versions.map(([key, min, max]) => Buffer.from([key >> 8, key & 255, 0, min, 0, max, 0]))
  // error_code, compact array length, entries, throttle_time_ms, tagged fields
  return framed(
    request,
    Buffer.concat([Buffer.from([0, 0, versions.length + 1]), ...entries, Buffer.from([0, 0, 0, 0, 0])]),
  )
}

/** ApiVersions response of a broker that supports each request in every version. */
export function supportedVersions(request: Buffer): Buffer {
  return apiVersions(
    request,
    Array.from({ length: 100 }, (_, key) => [key, 0, 50] as const),
  )
}

/** The response to this request with that body, and a text after it. */
export function framed(request: Buffer, body: Buffer, text = ''): Buffer {
  const size = Buffer.alloc(4)
  const end = Buffer.from(text)
  size.writeInt32BE(4 + body.length + end.length)
  return Buffer.concat([size, request.subarray(8, 12), body, end])
}
