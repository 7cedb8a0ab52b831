import { type MySqlConnection, type PreparedSelect, RowStream } from '@tributary/mysql'
import { type Clock, type Logger, type Timer, toError } from '@tributary/support'

export interface RowConnectionOptions {
  readonly clock: Clock
  readonly logger: Logger
}

/** A statement that reads a part. */
export interface PartStatement<P> {
  readonly part: P
  /** Its text, or the statement that this connection has prepared. */
  readonly statement: string | PreparedSelect
  /** What the rows are for, as in “reading table a.b”. */
  readonly doing: string
  /** Makes the error for a user of one that happens while the statement runs. */
  readonly explain?: (error: unknown) => Error
}

/** One of the connections that read rows, one result at a time. It calls `onChange` when a wait is over. */
export class RowConnection<P> {
  readonly #connection: MySqlConnection
  readonly #onChange: () => void
  #part: P | null = null
  #stream: RowStream | null = null
  /** Of the parts that are done. */
  #bytesDone = 0
  #isWaiting = false
  #failure: Error | null = null
  /** What the rows are for, as in “reading table a.b”. */
  #doing = ''
  readonly #options: RowConnectionOptions

  constructor(connection: MySqlConnection, onChange: () => void, options: RowConnectionOptions) {
    this.#connection = connection
    this.#onChange = onChange
    this.#options = options
  }

  /** The part that is being read; null when none is, or when it is not known yet. */
  get part(): P | null {
    return this.#part
  }

  /** The rows of the part; null before the statement has run. */
  get stream(): RowStream | null {
    return this.#stream
  }

  /** Bytes of all rows so far, as the server has sent them. */
  get bytesRead(): number {
    return this.#bytesDone + (this.#stream?.bytesRead ?? 0)
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
  open(begin: (connection: MySqlConnection) => Promise<PartStatement<P>>): void {
    this.#wait(async () => {
      const { part, statement, doing, explain } = await begin(this.#connection)
      this.#doing = doing
      try {
        this.#stream =
          typeof statement === 'string'
            ? await RowStream.open(this.#connection, statement, doing)
            : await RowStream.execute(this.#connection, statement, doing)
      } catch (error) {
        throw explain === undefined ? error : explain(error)
      }
      this.#part = part
    })
  }

  /** Waits until the stream has more rows. */
  await(stream: RowStream): void {
    this.#wait(() => stream.wait())
  }

  /** The last row of the result has been read. */
  finish(): void {
    this.#bytesDone = this.bytesRead
    this.#part = null
    this.#stream = null
  }

  /**
   * Ends with the connection at the latest: a stop closes that. No limit fits: a server may search or sort for hours
   * before it sends a row.
   */
  #wait(run: () => Promise<void>): void {
    this.#isWaiting = true
    const silence = this.#watchSilence()
    void run()
      .catch((error: unknown) => {
        this.#failure = toError(error)
      })
      .finally(() => {
        silence.cancel()
        this.#isWaiting = false
        this.#onChange()
      })
  }

  /** Logs each minute without a row. */
  #watchSilence(): Timer {
    const { clock, logger } = this.#options
    let minutes = 0
    let timer: Timer
    const wait = (): void => {
      timer = clock.after(SILENCE_MS, () => {
        minutes += 1
        logger.warn(
          `The snapshot waits while ${this.#doing}: the database at ${this.#connection.address} has sent nothing for ${minutes} min. SHOW FULL PROCESSLIST lists what it is doing`,
        )
        wait()
      })
    }
    wait()
    return { cancel: () => timer.cancel() }
  }
}

/** Rows of a table without conditions arrive within a second. */
const SILENCE_MS = 60_000
