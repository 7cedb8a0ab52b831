import type { Clock } from '@tributary/support'
import type { BrokerSocket } from '../api/broker-socket.ts'

/** A request as it goes to the socket: the whole frame in some buffers, which must not change until the response. */
export interface OutgoingRequest {
  readonly chunks: readonly Buffer[]
  /** Sum of the chunks. */
  readonly bytes: number
  /**
   * Asked immediately before the broker can get the whole request. False: it does not get it. Undefined: the request is
   * not guarded.
   */
  readonly maySend: (() => boolean) | undefined
}

/** The send buffer that the system gives each connection of a client, as far as is known. */
export interface SystemBuffer {
  /** What it takes at once when it is empty. */
  takesBytes: number
  /** The size of a request that ended exactly where the buffer was full. The client sends it again. Null: none did. */
  fullAtBytes: number | null
}

/** Of every usual system (tcp_wmem of Linux). */
export function usualSystemBuffer(): SystemBuffer {
  return { takesBytes: 16 * 1024, fullAtBytes: null }
}

export interface RequestWriterOptions {
  readonly socket: BrokerSocket
  readonly systemBuffer: SystemBuffer
  /** What the system takes is reported a turn later (TLS), so it cannot be seen whether it took something at once. */
  readonly isOpaque: boolean
  readonly clock: Clock
  /** `maySend` was false: the connection must be dropped before the system gets a turn. */
  readonly onForbidden: () => void
  /** The system did not take the end of a guarded request: the same. Only one of the two is called, and once. */
  readonly onEndNotTaken: () => void
}

/**
 * Writes requests to a socket, one after the other, so that a process that is frozen (SIGSTOP) completes no guarded
 * request when it wakes up.
 *
 * What the system's send buffer cannot take, libuv keeps, and writes it as soon as there is room: after a freeze before
 * any code of ours runs. So the last byte of a guarded request is written alone, after the system has taken all others,
 * and `maySend` is asked once more before it. A broker does nothing with a request whose last byte is missing. If the
 * system does not take that byte at once, the connection is dropped before libuv runs again.
 *
 *     |<- all but two: libuv may keep them ->|<- one ->|   maySend?   |<- the last one: taken now, or the end ->|
 *
 * The last byte but one goes alone too. If the first part fills the buffer, that byte has to wait until a third of the
 * buffer is free (Linux wakes a writer then), and so the last one finds room. If the buffer is full after that byte
 * nevertheless, the next connection waits for room before the last one: the same request would fill it again.
 *
 * Under TLS the first two parts are the same, but nobody sees whether the system took the last byte at once.
 */
export class RequestWriter {
  readonly #options: RequestWriterOptions
  /** Requests behind a guarded one whose end has not been written. */
  readonly #waiting: OutgoingRequest[] = []
  /** Bytes of requests that were handed to the socket and not answered yet; the system may still hold them. */
  #unansweredBytes = 0
  #isInGuardedRequest = false
  #hasEnded = false

  constructor(options: RequestWriterOptions) {
    this.#options = options
  }

  /** No effect after the end. */
  write(request: OutgoingRequest): void {
    if (this.#hasEnded) return
    this.#unansweredBytes += request.bytes
    if (this.#isInGuardedRequest) this.#waiting.push(request)
    else this.#begin(request)
  }

  /** The broker has answered a request of this size. */
  onAnswer(bytes: number): void {
    this.#unansweredBytes -= bytes
  }

  /** Nothing is written any more. */
  end(): void {
    this.#hasEnded = true
    this.#waiting.length = 0
  }

  #begin(request: OutgoingRequest): void {
    const { chunks, bytes, maySend } = request
    if (maySend === undefined) return this.#writeTogether(chunks)
    if (!this.#may(maySend)) return
    const { systemBuffer } = this.#options
    if (this.#unansweredBytes <= systemBuffer.takesBytes) {
      this.#writeTogether(chunks)
      // Otherwise the same request would end one connection after the other.
      if (!this.#expectTaken()) systemBuffer.takesBytes = Math.floor(this.#unansweredBytes / 2)
      return
    }
    this.#isInGuardedRequest = true
    const { first, last } = cutLast(chunks, 2)
    this.#writeTogether(first)
    this.#whenTaken(last.subarray(0, 1), () =>
      this.#whenRoom(bytes, () => this.#finish(last.subarray(1), bytes, maySend)),
    )
  }

  /** Usually that is at once; the callback of the socket could come after many turns of busy promises. */
  #whenTaken(chunk: Buffer, then: () => void): void {
    const { socket } = this.#options
    let isTaken = false
    socket.write(chunk, (error) => {
      // A lost connection is reported by its events.
      if (!error && !isTaken) then()
    })
    isTaken = socket.writableLength === 0
    if (isTaken) then()
  }

  #whenRoom(requestBytes: number, then: () => void): void {
    const { systemBuffer, clock } = this.#options
    if (systemBuffer.fullAtBytes === requestBytes) clock.after(ROOM_MS, then)
    else then()
  }

  #finish(last: Buffer, requestBytes: number, maySend: () => boolean): void {
    if (this.#hasEnded || !this.#may(maySend)) return
    const { socket, systemBuffer } = this.#options
    socket.write(last)
    const isTaken = this.#expectTaken()
    if (!isTaken) systemBuffer.fullAtBytes = requestBytes
    else if (systemBuffer.fullAtBytes === requestBytes) systemBuffer.fullAtBytes = null
    this.#isInGuardedRequest = false
    while (!this.#isInGuardedRequest) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#begin(next)
    }
  }

  #may(maySend: () => boolean): boolean {
    if (maySend()) return true
    this.end()
    this.#options.onForbidden()
    return false
  }

  #expectTaken(): boolean {
    const { socket, isOpaque, onEndNotTaken } = this.#options
    if (isOpaque || socket.writableLength === 0) return true
    this.end()
    onEndNotTaken()
    return false
  }

  #writeTogether(chunks: readonly Buffer[]): void {
    const { socket } = this.#options
    socket.cork()
    for (const chunk of chunks) socket.write(chunk)
    socket.uncork()
  }
}

/** The other end acknowledges bytes sooner, if it can be reached. */
const ROOM_MS = 100

/** Splits off the last `count` bytes. */
function cutLast(
  chunks: readonly Buffer[],
  count: number,
): { readonly first: readonly Buffer[]; readonly last: Buffer } {
  const first = [...chunks]
  let last: Buffer = Buffer.alloc(0)
  while (last.length < count) {
    const chunk = first.pop()
    if (chunk === undefined) break
    const at = Math.max(0, chunk.length - (count - last.length))
    last = Buffer.concat([chunk.subarray(at), last])
    if (at > 0) first.push(chunk.subarray(0, at))
  }
  return { first, last }
}
