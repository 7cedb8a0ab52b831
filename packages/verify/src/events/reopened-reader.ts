import type { LogRecord, TopicReader } from '@tributary/kafka'

export type Offsets = ReadonlyMap<number, bigint>

/** A reader of a topic that can begin elsewhere. It begins again where records are left when retention removes some. */
export class ReopenedReader implements AsyncDisposable {
  readonly #open: (from: Offsets) => Promise<TopicReader>
  #reader: TopicReader | null = null

  /** @param open opens a reader at the offsets, or as near to them as there are records */
  constructor(open: (from: Offsets) => Promise<TopicReader>) {
    this.#open = open
  }

  async open(from: Offsets): Promise<void> {
    await this.#reader?.close()
    this.#reader = await this.#open(from)
  }

  async poll(signal: AbortSignal): Promise<readonly LogRecord[]> {
    const reader = this.#opened
    try {
      return await reader.poll(signal)
    } catch (error) {
      if (!isOutOfRange(error)) throw error
      await this.open(new Map(reader.partitions.map((partition) => [partition, reader.position(partition)])))
      return []
    }
  }

  endOffsets(signal: AbortSignal): Promise<Offsets> {
    return this.#opened.endOffsets(signal)
  }

  hasReached(ends: Offsets): boolean {
    const reader = this.#opened
    return reader.partitions.every((partition) => reader.position(partition) >= (ends.get(partition) ?? 0n))
  }

  /** The last record of each partition, or the position where that is later. */
  newest(ends: Offsets): Offsets {
    const reader = this.#opened
    return new Map(
      reader.partitions.map((partition) => {
        const [position, last] = [reader.position(partition), (ends.get(partition) ?? 0n) - 1n]
        return [partition, position > last ? position : last]
      }),
    )
  }

  get #opened(): TopicReader {
    if (this.#reader === null) throw new Error('The reader is not open')
    return this.#reader
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.close()
  }
}

function isOutOfRange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'OFFSET_OUT_OF_RANGE'
}
