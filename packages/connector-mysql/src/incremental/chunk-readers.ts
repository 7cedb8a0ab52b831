import type { TableId } from '@tributary/connector-kit'
import {
  ChunkReader,
  type Chunk,
  type ChunkBorder,
  type ChunkReaderOptions,
  type ChunkRequest,
} from './chunk-reader.ts'

/** Reads chunks on several connections at the same time, which it opens when it needs them. */
export class ChunkReaders implements AsyncDisposable {
  readonly #readers: readonly ChunkReader[]
  readonly #free: ChunkReader[]

  /** @param count so many connections at most; with markers one, since their windows must not overlap */
  constructor(options: Omit<ChunkReaderOptions, 'bytesMax'>, count: number) {
    const used = options.markers === null ? count : 1
    const bytesMax = Math.max(BYTES_MIN, Math.floor(BYTES_MAX / used))
    this.#readers = Array.from({ length: used }, () => new ChunkReader({ ...options, bytesMax }))
    this.#free = [...this.#readers]
  }

  get count(): number {
    return this.#readers.length
  }

  /** Whether another read can begin. */
  get hasFree(): boolean {
    return this.#free.length > 0
  }

  /** @param onBorder called as soon as the end of the chunk is known, and again when it has changed */
  read(request: ChunkRequest, onBorder: (border: ChunkBorder) => void, signal: AbortSignal): Promise<Chunk> {
    return this.#use((reader) => reader.read(request, onBorder, signal))
  }

  /** Whether the server has the table. Throws when that is not certain: a user without privileges sees no table. */
  hasTable(id: TableId, signal: AbortSignal): Promise<boolean> {
    return this.#use((reader) => reader.hasTable(id, signal))
  }

  async #use<T>(work: (reader: ChunkReader) => Promise<T>): Promise<T> {
    const reader = this.#free.pop()
    if (reader === undefined) throw new Error('each connection reads a chunk')
    try {
      return await work(reader)
    } finally {
      this.#free.push(reader)
    }
  }

  /** Closes connections that are not in use. */
  async rest(): Promise<void> {
    for (const reader of this.#free.slice()) await reader[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const reader of this.#readers) await reader[Symbol.asyncDispose]()
  }
}

/** Of the chunks that are read at the same time. */
const BYTES_MAX = 64 * 2 ** 20
/** Of each of them. */
const BYTES_MIN = 8 * 2 ** 20
