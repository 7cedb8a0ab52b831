import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Brokers refuse records of more than 1 MB unless they are configured otherwise, so that a larger configuration could
 * not be stored; its JSON may have escapes. Kafka Connect has no limit.
 */
export const bodyBytesMax: number = 2 * 2 ** 20

/** Registrations of ordinary connectors are smaller. All connections together may hold bodies of this size. */
const ordinaryBytesMax = 64 * 1024

/** Parsing a large body blocks the worker for some hundredths of a second. */
const largeBodiesMax = 16

/** Limits how many large bodies arrive and are answered at the same time, by the length that a request declares. */
export class LargeBodies {
  #count = 0

  /** False for a request whose body is one too many. It must be refused. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && Number(length ?? 0) <= ordinaryBytesMax) return true
    if (this.#count >= largeBodiesMax) return false
    this.#count += 1
    response.once('close', () => (this.#count -= 1))
    return true
  }
}
