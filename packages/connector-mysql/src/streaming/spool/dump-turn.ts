/**
 * Whose turn it is to open a connection that reads the binlog: that of the stream, or that of its spool. They are the
 * same replica, and a server ends the older one of two connections with one server id. So only who has the turn decides
 * whether to open one, and keeps the turn until the server has answered, or the attempt has failed. Otherwise the stream
 * could decide on a connection, the spool begin meanwhile, and the request of the stream, which arrives last, end the
 * connection of the spool.
 *
 * Nobody waits for the turn: the stream continues with its next poll, the spool a second later.
 */
export class DumpTurn {
  #isTaken = false

  /** Returns the turn, which ends with its disposal; null while somebody has it. */
  take(): Disposable | null {
    if (this.#isTaken) return null
    this.#isTaken = true
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#isTaken = false
        isHeld = false
      },
    }
  }
}
