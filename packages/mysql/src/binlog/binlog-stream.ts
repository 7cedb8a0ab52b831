import { loadZstd } from '../compression/zstd.ts'
import type { BinlogEvent } from './binlog-event.ts'
import { BinlogDump, type BinlogDumpOptions } from './binlog-dump.ts'
import { BinlogReader } from './binlog-reader.ts'
import type { EventStream } from './event-stream.ts'
import type { StatementDecoder } from './query-event.ts'

export interface BinlogStreamOptions extends BinlogDumpOptions {
  readonly decodeStatement: StatementDecoder
}

/** The events that a connection receives, from one start position until it is closed or lost. */
export class BinlogStream implements EventStream, AsyncDisposable {
  readonly reader: BinlogReader
  readonly #dump: BinlogDump

  private constructor(dump: BinlogDump, reader: BinlogReader) {
    this.#dump = dump
    this.reader = reader
  }

  static async open(options: BinlogStreamOptions, signal?: AbortSignal): Promise<BinlogStream> {
    return BinlogStream.over(await BinlogDump.open(options, signal), options.decodeStatement)
  }

  /** The stream closes the dump. */
  static async over(dump: BinlogDump, decodeStatement: StatementDecoder): Promise<BinlogStream> {
    const { packets, hasChecksums } = dump
    const zstd = await loadZstd().catch(async (error: unknown) => {
      await dump.close()
      throw error
    })
    return new BinlogStream(dump, new BinlogReader({ packets, hasChecksums, decodeStatement, zstd }))
  }

  /** Connection id of the dump thread on the server. */
  get threadId(): number {
    return this.#dump.threadId
  }

  next(): BinlogEvent | null {
    try {
      return this.reader.next()
    } catch (error) {
      throw this.#dump.wrap(error, this.#doing)
    }
  }

  async wait(signal?: AbortSignal): Promise<void> {
    try {
      await this.reader.wait(signal)
    } catch (error) {
      throw this.#dump.wrap(error, this.#doing)
    }
  }

  get #doing(): string {
    const { file, place } = this.reader
    return file === '' ? 'waiting for the first event of the binlog' : `reading the binlog after ${place}`
  }

  close(): Promise<void> {
    return this.#dump.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
