import { loadZstd } from '../compression/zstd.ts'
import { describesChecksums, descriptionInFile, rotatePacket } from '../spool/event-facts.ts'
import { SpoolFeed } from '../spool/spool-feed.ts'
import type { FeedStart, Spool } from '../spool/spool.ts'
import type { BinlogEvent } from './binlog-event.ts'
import { BinlogReader } from './binlog-reader.ts'
import type { EventStream } from './event-stream.ts'
import type { StatementDecoder } from './query-event.ts'

/** The events of a spool from a place on, including those added while it is read. */
export class SpoolStream implements EventStream {
  readonly reader: BinlogReader
  readonly feed: SpoolFeed

  private constructor(feed: SpoolFeed, reader: BinlogReader) {
    this.feed = feed
    this.reader = reader
  }

  static async open(spool: Spool, start: FeedStart, decodeStatement: StatementDecoder): Promise<SpoolStream> {
    const { cursor, place, description } = start
    // Without a description, a rotate event of the server is the first one: the reader accepts it with and without.
    const hasChecksums = description === null || describesChecksums(description)
    const head = description === null ? [] : [rotatePacket(place, hasChecksums), descriptionInFile(description)]
    const zstd = await loadZstd()
    const feed = new SpoolFeed(spool, cursor, head)
    return new SpoolStream(feed, new BinlogReader({ packets: feed, hasChecksums, decodeStatement, zstd }))
  }

  /** @throws SpoolDamagedError; as `BinlogReader.next` */
  next(): BinlogEvent | null {
    return this.reader.next()
  }

  wait(signal?: AbortSignal): Promise<void> {
    return this.reader.wait(signal)
  }

  close(): Promise<void> {
    this.feed.close()
    return Promise.resolve()
  }
}
