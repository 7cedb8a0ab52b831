import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { present } from '@tributary/support'
import type { PartitionStorage, StoredBatch, StoredSegment } from './broker-storage.ts'
import type { FileCache } from './file-cache.ts'
import { SegmentFile } from './segment-file.ts'

/** `00000000000000000042.log` begins with offset 42, as in Kafka. */
const OFFSET_DIGITS = 20
const SUFFIX = '.log'

/** The segments of a partition as files of a folder, named after their first offsets. */
export class PartitionFolder implements PartitionStorage {
  readonly #folder: string
  readonly #files: FileCache
  readonly #segments: SegmentFile[] = []

  constructor(folder: string, files: FileCache) {
    this.#folder = folder
    this.#files = files
  }

  recover(): readonly StoredSegment[] {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const names = readdirSync(this.#folder)
      .filter((name) => name.endsWith(SUFFIX))
      .toSorted()
    return names.map((name, i) => {
      const baseOffset = Number(name.slice(0, -SUFFIX.length))
      const segment = this.#open(baseOffset)
      return { baseOffset, batches: segment.recover(i === names.length - 1) }
    })
  }

  append(batch: Buffer): StoredBatch {
    const segment = this.#segments.at(-1) ?? this.#open(0)
    return segment.append(batch)
  }

  roll(baseOffset: number): void {
    this.#open(baseOffset)
  }

  deleteOldest(): void {
    const { path } = present(this.#segments.shift(), 'the oldest segment')
    this.#files.close(path)
    rmSync(path)
  }

  closeFiles(): void {
    for (const { path } of this.#segments) this.#files.close(path)
  }

  #open(baseOffset: number): SegmentFile {
    const name = `${String(baseOffset).padStart(OFFSET_DIGITS, '0')}${SUFFIX}`
    const segment = new SegmentFile(join(this.#folder, name), baseOffset, this.#files)
    this.#segments.push(segment)
    return segment
  }
}
