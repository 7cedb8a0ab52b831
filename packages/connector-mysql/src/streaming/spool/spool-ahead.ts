import type { BinlogEvent, BinlogReader, EventStream, SpoolStream } from '@tributary/mysql'
import { connectorErrors } from '../../errors.ts'
import type { LogPlace } from '../log-place.ts'
import type { SpoolPump } from './spool-pump.ts'

/**
 * Events of a spool that are read ahead of the stream, while the pump adds more. A full spool has room again only when the
 * stream continues, which waits for what is read here: so that is an error instead of a wait without end.
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

  /** @throws SPOOL_TOO_SMALL; the error of the connection that fills the spool */
  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#pump.isFull && this.#stream.feed.isDrained) {
      throw connectorErrors.SPOOL_TOO_SMALL({ position: `${this.#from.file}:${this.#from.position}` })
    }
    await this.#stream.wait(signal)
  }

  close(): Promise<void> {
    this.#pump.unwatch(this.#stream.feed)
    return this.#stream.close()
  }
}
