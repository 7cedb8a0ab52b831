import { fstatSync, ftruncateSync } from 'node:fs'
import { BATCH_HEADER_BYTES, BATCH_PREFIX_BYTES, readBatchHeader } from '../batch/batch-header.ts'
import { hasValidChecksum } from '../batch/checksum.ts'
import { brokerErrors } from '../errors.ts'
import type { StoredBatch } from './broker-storage.ts'
import type { FileCache } from './file-cache.ts'
import { appendAll, readAt } from './whole-io.ts'

/** Segments as they were written. Their names end so. */
export const WRITTEN = '.log'
/** Segments from which compaction has removed records. */
export const COMPACTED = '.compacted'

/**
 * Batches of a partition in a file, one after the other, in Kafka's own format. The checksum of each batch covers its
 * records; its offset must follow that of the batch before, except in a compacted segment, which lacks offsets.
 */
export class SegmentFile {
  readonly path: string
  readonly baseOffset: number
  readonly #files: FileCache
  #bytes = 0
  /** An append has failed, and what it wrote could not be removed. */
  #isBroken = false

  constructor(path: string, baseOffset: number, files: FileCache) {
    this.path = path
    this.baseOffset = baseOffset
    this.#files = files
    files.descriptor(path)
  }

  /**
   * Reads the batches of an earlier run.
   *
   * A process that is killed may leave the beginning of a batch at the end of the last file. It was not acknowledged, so
   * it is removed. Anything else is damage.
   *
   * @throws BROKER_DATA_DAMAGED
   */
  recover(isLast: boolean): readonly StoredBatch[] {
    const isCompacted = this.path.endsWith(COMPACTED)
    const descriptor = this.#files.descriptor(this.path)
    const { size } = fstatSync(descriptor)
    const batches: StoredBatch[] = []
    let nextOffset = this.baseOffset
    while (this.#bytes < size) {
      const head = readAt(descriptor, this.#bytes, BATCH_HEADER_BYTES)
      const length = head.length < BATCH_PREFIX_BYTES ? Infinity : BATCH_PREFIX_BYTES + head.readInt32BE(8)
      if (this.#bytes + length > size) {
        if (!isLast) throw this.#damage('the file ends within a batch')
        ftruncateSync(descriptor, this.#bytes)
        break
      }
      if (length < BATCH_HEADER_BYTES) throw this.#damage('the length of a batch is too small')
      const batch = readAt(descriptor, this.#bytes, length)
      if (!hasValidChecksum(batch)) throw this.#damage('the checksum of a batch is wrong')
      const header = readBatchHeader(batch)
      const isNext = header.baseOffset === nextOffset || (isCompacted && header.baseOffset > nextOffset)
      if (!isNext) throw this.#damage(`offset ${nextOffset} is missing`)
      batches.push(new FileBatch(this, this.#bytes, length))
      nextOffset = header.lastOffset + 1
      this.#bytes += length
    }
    return batches
  }

  append(batch: Buffer): StoredBatch {
    if (this.#isBroken) throw new Error(`${this.path} could not be repaired after a failed write`)
    const descriptor = this.#files.descriptor(this.path)
    try {
      appendAll(descriptor, batch)
    } catch (error) {
      this.#removeRest(descriptor)
      throw error
    }
    const stored = new FileBatch(this, this.#bytes, batch.length)
    this.#bytes += batch.length
    return stored
  }

  read(position: number, length: number): Buffer {
    return readAt(this.#files.descriptor(this.path), position, length)
  }

  /** Removes the bytes of a failed write, so that the next batch follows the last complete one. */
  #removeRest(descriptor: number): void {
    try {
      ftruncateSync(descriptor, this.#bytes)
    } catch {
      this.#isBroken = true
    }
  }

  #damage(reason: string): Error {
    return brokerErrors.BROKER_DATA_DAMAGED({ file: this.path, position: this.#bytes, reason })
  }
}

class FileBatch implements StoredBatch {
  readonly length: number
  readonly #file: SegmentFile
  readonly #position: number

  constructor(file: SegmentFile, position: number, length: number) {
    this.#file = file
    this.#position = position
    this.length = length
  }

  read(): Buffer {
    return this.#file.read(this.#position, this.length)
  }
}
