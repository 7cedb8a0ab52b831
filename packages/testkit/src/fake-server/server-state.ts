/** What the sessions of a server share. */
export interface FakeServerState {
  /** A replica has read the binlog: the answers are those that the real server gave after its last change. */
  hasDumped: boolean
  /** Statements to which the script has no answer; a server that behaves well has none. */
  readonly unanswered: string[]
  /** Bytes sent on all connections. */
  bytesSent: number
  /** Faults that have struck. */
  struck: number
}
