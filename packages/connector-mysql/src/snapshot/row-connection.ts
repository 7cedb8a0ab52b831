import { type MySqlConnection, RowStream } from '@tributary/mysql'
import { toError } from '@tributary/support'

/** One of the connections that read rows: it reads one result at a time. What waits tells by a call when it goes on. */
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

  /** What is being read, as far as it is known already. */
  get part(): P | null {
    return this.#part
  }

  /** Its rows; null before they are asked for. */
  get stream(): RowStream | null {
    return this.#stream
  }

  /** Something is under way: it is to be left alone. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Throws what went wrong meanwhile. */
  check(): void {
    if (this.#failure !== null) throw this.#failure
  }

  /** Asks for rows; `begin` says which ones, after what it may have to ask for itself. */
  open(begin: (connection: MySqlConnection) => Promise<{ part: P; sql: string; doing: string }>): void {
    this.#wait(async () => {
      const { part, sql, doing } = await begin(this.#connection)
      this.#stream = await RowStream.open(this.#connection, sql, doing)
      this.#part = part
    })
  }

  /** After the stream had no row: waits until more has arrived. */
  await(stream: RowStream): void {
    this.#wait(() => stream.wait())
  }

  /** The result was read to its end. */
  finish(): void {
    this.#part = null
    this.#stream = null
  }

  /** Ends with the connection at the latest: whoever stops closes that. */
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
