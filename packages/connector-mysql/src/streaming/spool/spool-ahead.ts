import type { BinlogEvent, BinlogReader, EventStream, SpoolStream } from '@tributary/mysql'
import { CodedError, describeError, isRetriable } from '@tributary/support'
import { connectorErrors } from '../../errors.ts'
import type { LogPlace } from '../log-place.ts'
import type { SpoolPump } from './spool-pump.ts'

/**
 * Events of a spool that are read ahead of the stream, while the pump adds more. A spool that is full, or has ended, gets
 * no more before the stream continues, which waits for what is read here: so that is an error instead of a wait without
 * end.
 */
export class SpoolAhead implements EventStream {
  readonly #stream: SpoolStream
  readonly #pump: SpoolPump
  readonly #from: LogPlace

  constructor(stream: SpoolStream, pump: SpoolPump, from: LogPlace) {
    this.#stream = stream
    this.#pump = pump
    this.#from = from
    pump.watch(stream.feed)
  }

  get reader(): BinlogReader {
    return this.#stream.reader
  }

  next(): BinlogEvent | null {
    return this.#stream.next()
  }

  /** @throws SPOOL_TOO_SMALL, SPOOL_INCOMPLETE; the error that ended the pump, when trying again may help */
  async wait(signal?: AbortSignal): Promise<void> {
    const { isBlocked, ended } = this.#pump
    const position = `${this.#from.file}:${this.#from.position}`
    if (this.#stream.feed.isDrained) {
      if (isBlocked) throw connectorErrors.SPOOL_TOO_SMALL({ position })
      if (ended instanceof CodedError && isRetriable(ended)) throw ended
      if (ended !== null) throw connectorErrors.SPOOL_INCOMPLETE({ position, reason: describeError(ended) }, ended)
    }
    await this.#stream.wait(signal)
  }

  close(): Promise<void> {
    this.#pump.unwatch(this.#stream.feed)
    return this.#stream.close()
  }
}
