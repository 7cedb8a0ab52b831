import type { BinlogEvent, BinlogReader, EventStream, SpoolStream } from '@tributary/mysql'
import { CodedError, describeError, isRetriable } from '@tributary/support'
import { connectorErrors } from '../../errors.ts'
import type { LogPlace } from '../log-place.ts'
import type { SpoolPump } from './spool-pump.ts'

/** The spool lacks a part of the events to be read ahead of the stream. The server may have them. */
export class SpoolShortError extends Error {
  override readonly name: string = 'SpoolShortError'
  readonly from: LogPlace

  constructor(from: LogPlace, cause: CodedError) {
    super(`the spool lacks events after ${from.file}:${from.position} that the task has to read ahead of the stream`, {
      cause,
    })
    this.from = from
  }
}

export interface SpoolAheadOptions {
  readonly stream: SpoolStream
  readonly pump: SpoolPump
  readonly from: LogPlace
  /** The server has purged a part of the events. */
  readonly isPurged: boolean
}

/**
 * Reads events of a spool ahead of the stream, while the pump adds more. The stream waits for this reader, and frees no
 * room meanwhile. So if the spool is full, or has ended, this reader fails, and the stream leaves the spool.
 */
export class SpoolAhead implements EventStream {
  readonly #options: SpoolAheadOptions

  constructor(options: SpoolAheadOptions) {
    this.#options = options
    options.pump.watch(options.stream.feed)
  }

  get reader(): BinlogReader {
    return this.#options.stream.reader
  }

  next(): BinlogEvent | null {
    return this.#options.stream.next()
  }

  /** @throws SpoolShortError; SPOOL_TOO_SMALL, SPOOL_INCOMPLETE; the error that ended the pump, if a retry may help */
  async wait(signal?: AbortSignal): Promise<void> {
    const { stream, from, isPurged } = this.#options
    const short = stream.feed.isDrained ? this.#short : null
    if (short !== null) throw isPurged ? short : new SpoolShortError(from, short)
    await stream.wait(signal)
  }

  /** Why no more events will be added; null: more may arrive. */
  get #short(): CodedError | null {
    const { from, pump } = this.#options
    const { isBlocked, ended } = pump
    const position = `${from.file}:${from.position}`
    if (isBlocked) return connectorErrors.SPOOL_TOO_SMALL({ position })
    if (ended instanceof CodedError && isRetriable(ended)) throw ended
    return ended === null ? null : connectorErrors.SPOOL_INCOMPLETE({ position, reason: describeError(ended) }, ended)
  }

  close(): Promise<void> {
    const { pump, stream } = this.#options
    pump.unwatch(stream.feed)
    return stream.close()
  }
}
