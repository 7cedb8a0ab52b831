import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Clients that pipeline at all, which is rare, send two requests. The parser passes all requests of a chunk on before
 * the first is answered: a chunk of 64 KiB has more than a thousand.
 */
const pipelinedMax = 16

/** Closes connections with more requests than a client may send before it has read the answers. */
export class PipelinedRequests {
  readonly #unanswered = new WeakMap<Socket, number>()

  /** False when the connection was closed: nothing must answer the request. */
  admits({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.destroyed) return false
    const count = (this.#unanswered.get(socket) ?? 0) + 1
    if (count > pipelinedMax) {
      socket.destroy()
      return false
    }
    this.#unanswered.set(socket, count)
    response.once('close', () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1))
    return true
  }
}
