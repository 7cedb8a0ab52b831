import type { Duplex } from 'node:stream'

/** Cuts what a client sends into the payloads of packets; none of a client that the tests drive is continued. */
export class ClientPackets {
  #rest = Buffer.alloc(0)
  #socket: Duplex
  #wake: () => void = () => undefined
  #hasEnded = false
  readonly #onData = (chunk: Buffer): void => {
    this.#rest = Buffer.concat([this.#rest, chunk])
    this.#wake()
  }
  readonly #onEnd = (): void => {
    this.#hasEnded = true
    this.#wake()
  }

  constructor(socket: Duplex) {
    this.#socket = socket
    this.#listen(socket)
  }

  /** Reads from a TLS socket on top of the same connection from now on. */
  switchTo(socket: Duplex): void {
    this.#socket = socket
    this.#listen(socket)
  }

  /** Stops reading, and returns what it has not read to the socket, so that a TLS socket can take the bytes. */
  leave(): void {
    this.#socket.pause()
    this.#socket.off('data', this.#onData)
    if (this.#rest.length > 0) this.#socket.unshift(this.#rest)
    this.#rest = Buffer.alloc(0)
  }

  #listen(socket: Duplex): void {
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('close', this.#onEnd)
  }

  /** The next payload; null when the connection ends before it is complete. */
  async next(): Promise<Buffer | null> {
    while (this.#rest.length < 4 || this.#rest.length < 4 + this.#rest.readUIntLE(0, 3)) {
      if (this.#hasEnded) return null
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const end = 4 + this.#rest.readUIntLE(0, 3)
    const payload = this.#rest.subarray(4, end)
    this.#rest = this.#rest.subarray(end)
    return payload
  }
}
