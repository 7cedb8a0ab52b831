import { type MySqlConnection, RowStream } from '@tributary/mysql'
import { toError } from '@tributary/support'

/** One of the connections that read rows, one result at a time. It calls `onChange` when a wait is over. */
export class RowConnection<P> {
  readonly #connection: MySqlConnection
  readonly #onChange: () => void
  #part: P | null = null
  #stream: RowStream | null = null
  #isWaiting = false
  #failure: Error | null = null

  constructor(connection: MySqlConnection, onChange: () => void) {
    this.#connection = connection
    this.#onChange = onChange
  }

  /** The part that is being read; null when none is, or when it is not known yet. */
  get part(): P | null {
    return this.#part
  }

  /** The rows of the part; null before the statement has run. */
  get stream(): RowStream | null {
    return this.#stream
  }

  /** An operation is in progress: no other may be started. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Throws the error of the last operation, if any. */
  check(): void {
    if (this.#failure !== null) throw this.#failure
  }

  /** Runs the statement that `begin` returns; `begin` may run statements of its own first. */
  open(begin: (connection: MySqlConnection) => Promise<{ part: P; sql: string; doing: string }>): void {
    this.#wait(async () => {
      const { part, sql, doing } = await begin(this.#connection)
      this.#stream = await RowStream.open(this.#connection, sql, doing)
      this.#part = part
    })
  }

  /** Waits until the stream has more rows. */
  await(stream: RowStream): void {
    this.#wait(() => stream.wait())
  }

  /** The last row of the result has been read. */
  finish(): void {
    this.#part = null
    this.#stream = null
  }

  /** Ends with the connection at the latest: a stop closes that. */
  #wait(run: () => Promise<void>): void {
    this.#isWaiting = true
    void run()
      .catch((error: unknown) => {
        this.#failure = toError(error)
      })
      .finally(() => {
        this.#isWaiting = false
        this.#onChange()
      })
  }
}
