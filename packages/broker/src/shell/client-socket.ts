/** The part of a socket (node:net) that a connection of a client uses. */
export interface ClientSocket {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly destroyed: boolean
  /** What was written has to be read before more is. `drain` follows. */
  readonly writableNeedDrain: boolean
  setNoDelay(noDelay: boolean): unknown
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'drain', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  pause(): unknown
  resume(): unknown
  isPaused(): boolean
  cork(): void
  write(chunk: Buffer): unknown
  uncork(): void
  /** Closes the connection when what was written is sent. */
  end(): unknown
  destroy(): unknown
}
