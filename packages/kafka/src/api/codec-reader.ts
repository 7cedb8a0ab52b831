import type { Compression } from './producer.ts'

/** What the last batches of a topic are compressed with. Batches of tombstones alone do not count. */
export interface CodecSample {
  readonly codecs: ReadonlySet<Compression>
  /** The codec of the last batch. */
  readonly last: Compression
  /** The size that some of these batches would have with LZ4, as a part of the size that they have. */
  readonly lz4Share: number
}

/** Looks at the ends of topics. Connects on first use. */
export interface CodecReader extends AsyncDisposable {
  /**
   * How the last batches of a topic are compressed; null when it has none or does not exist. Retries while brokers are
   * unreachable. Needs the permission to read the topic: rejects with NOT_AUTHORIZED without it.
   */
  lastCodecs(topic: string, signal?: AbortSignal): Promise<CodecSample | null>
}
