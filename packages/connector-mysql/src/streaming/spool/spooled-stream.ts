import {
  type BinlogEvent,
  type BinlogReader,
  type EventStream,
  type GtidEvent,
  MariaDbGtidSet,
  type MariaDbGtidEvent,
  MySqlGtidSet,
  type SpoolStream,
} from '@tributary/mysql'

/** The stream has read all that it can from the spool, and has to continue on a connection. */
export class SpoolEndedError extends Error {
  override readonly name: string = 'SpoolEndedError'
}

/** The spool does not have the events that the server would send for the GTIDs of the stream. */
export class SpoolUnfitError extends Error {
  override readonly name: string = 'SpoolUnfitError'
}

export interface SpooledStreamOptions {
  readonly stream: SpoolStream
  /** The transactions executed before its first event; null without GTIDs. */
  readonly gtids: string | null
  /** True: no further events follow, so the stream must not wait for them. */
  readonly isOver: () => boolean
  readonly onClose: () => void
}

/**
 * The events of the spool for the stream of the task. A server skips transactions that the stream has executed; a file
 * does not. So an executed transaction in the spool is an error, thrown before any of its rows is read.
 */
export class SpooledStream implements EventStream {
  readonly #options: SpooledStreamOptions
  readonly #executed: ExecutedBefore

  constructor(options: SpooledStreamOptions) {
    this.#options = options
    this.#executed = new ExecutedBefore(options.gtids)
  }

  get reader(): BinlogReader {
    return this.#options.stream.reader
  }

  /** @throws SpoolUnfitError, SpoolDamagedError */
  next(): BinlogEvent | null {
    const event = this.#options.stream.next()
    if (event?.tag === 'gtid' || event?.tag === 'mariadbGtid') this.#executed.requireNew(event)
    return event
  }

  /** @throws SpoolEndedError */
  async wait(signal?: AbortSignal): Promise<void> {
    const { stream, isOver } = this.#options
    if (stream.feed.isDrained && isOver()) throw new SpoolEndedError('everything in the spool was read')
    await stream.wait(signal)
  }

  async close(): Promise<void> {
    this.#options.onClose()
    await this.#options.stream.close()
  }
}

/** The transactions before a position. The first event with a GTID shows of which kind of server it is. */
class ExecutedBefore {
  readonly #text: string | null
  #mysql: MySqlGtidSet | null = null
  #mariadb: MariaDbGtidSet | null = null

  constructor(text: string | null) {
    this.#text = text
  }

  /** @throws SpoolUnfitError */
  requireNew(event: GtidEvent | MariaDbGtidEvent): void {
    if (this.#text === null) return
    const isDone = event.tag === 'gtid' ? this.#hasMySql(event, this.#text) : this.#hasMariaDb(event, this.#text)
    if (!isDone) return
    const name = event.tag === 'gtid' ? `${event.source}:${event.number}` : event.gtid
    throw new SpoolUnfitError(
      `the spool has the transaction ${typeof name === 'string' ? name : `${name.domain}-${name.server}-${name.sequence}`}, which was read before`,
    )
  }

  #hasMySql({ source, number }: GtidEvent, text: string): boolean {
    this.#mysql ??= MySqlGtidSet.parse(text)
    return this.#mysql.contains(source, number)
  }

  /** Of a domain, all transactions up to the last one were executed. */
  #hasMariaDb({ gtid }: MariaDbGtidEvent, text: string): boolean {
    this.#mariadb ??= MariaDbGtidSet.parse(text)
    const last = this.#mariadb.last(gtid.domain)
    return last !== null && gtid.sequence <= last.sequence
  }
}
