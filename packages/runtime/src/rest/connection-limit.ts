import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps the number of connections at a maximum by closing the one that has waited longest for a request: half-open
 * connections must not lock other clients out. A connection whose request has arrived is never closed for another; if
 * all are such, the new one is.
 */
export function limitConnections(server: Server, connectionsMax: number): void {
  /** In the order in which they began to wait. */
  const waiting = new Set<Socket>()
  let count = 0
  server.on('connection', (socket) => {
    count += 1
    waiting.add(socket)
    socket.once('close', () => {
      count -= 1
      waiting.delete(socket)
    })
    const [oldest] = waiting
    if (count > connectionsMax) oldest?.destroy()
  })
  server.on('request', (request, response) => {
    const { socket } = request
    if (hasBody(request)) request.once('end', () => waiting.delete(socket))
    else waiting.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed) waiting.add(socket)
    })
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
