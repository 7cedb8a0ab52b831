/** The part of a socket (node:net) that a connection to a broker uses. */
export interface BrokerSocket {
  /** The address of the broker; undefined: unknown. */
  readonly remoteAddress?: string | undefined
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Emitted once, after `error` if there is one. */
  on(event: 'close', listener: () => void): unknown
  /** Holds back what is written until `uncork`. */
  cork(): void
  write(chunk: Buffer): unknown
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
