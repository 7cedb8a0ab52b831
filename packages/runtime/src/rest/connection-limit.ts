import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'

/**
 * Keeps the number of connections at a maximum by closing the one that has waited longest for a request: half-open
 * connections must not lock other clients out. A connection whose request has arrived is never closed for another; if
 * all are such, the new one is.
 */
export function limitConnections(server: Server, connectionsMax: number): void {
  /** By their clients, in the order in which they began to wait. */
  const waiting = new Map<string, Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket)
    count += 1
    waiting.set(client, socket)
    socket.once('close', () => {
      count -= 1
      waiting.delete(client)
    })
    const [oldest] = waiting.values()
    if (count > connectionsMax) oldest?.destroy()
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const client = clientOf(socket)
    if (hasBody(request)) request.once('end', () => waiting.delete(client))
    else waiting.delete(client)
    response.once('close', () => {
      if (!socket.destroyed) waiting.set(client, socket)
    })
  })
}

/** A request over TLS has another socket object than its connection, with the same address and port of the client. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
