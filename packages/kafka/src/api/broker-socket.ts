/** The part of a socket (node:net) that a connection to a broker uses. */
export interface BrokerSocket {
  /** The address of the broker; undefined: unknown. */
  readonly remoteAddress?: string | undefined
  /** It has been closed, by either side. */
  readonly destroyed: boolean
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Emitted once, after `error` if there is one. */
  on(event: 'close', listener: () => void): unknown
  /** Holds back what is written until `uncork`. */
  cork(): void
  /** @param onTaken called, after this has returned, when the system has taken the chunk, or with the error */
  write(chunk: Buffer, onTaken?: (error?: Error | null) => void): unknown
  /** Bytes written and not yet taken by the system. */
  readonly writableLength: number
  uncork(): void
  /** Closes the connection. Bytes that were written may still arrive. */
  destroy(): unknown
  /** Closes the connection, and drops bytes that have not been sent. */
  resetAndDestroy(): unknown
}

export interface OpenSocketOptions {
  readonly endpoint: { readonly host: string; readonly port: number }
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Connects to a broker. Rejects with BROKER_UNREACHABLE or StoppedError. */
export type OpenSocket = (options: OpenSocketOptions) => Promise<BrokerSocket>
