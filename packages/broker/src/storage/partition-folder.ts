import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { present } from '@tributary/support'
import type { PartitionStorage, StoredBatch, StoredSegment } from './broker-storage.ts'
import type { FileCache } from './file-cache.ts'
import { COMPACTED, SegmentFile, WRITTEN } from './segment-file.ts'
import { appendAll } from './whole-io.ts'

/** `00000000000000000042.log` begins with offset 42, as in Kafka. */
const OFFSET_DIGITS = 20
/** A compacted segment that is not complete yet. */
const UNFINISHED = '.compacting'

/**
 * The segments of a partition as files of a folder, named after their first offsets. A segment that compaction has
 * replaced ends in `.compacted`; it counts, should the file that it replaces still exist.
 */
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
    this.#finishReplacements()
    const names = readdirSync(this.#folder)
      .filter((name) => name.endsWith(WRITTEN) || name.endsWith(COMPACTED))
      .toSorted()
    return names.map((name, i) => {
      const segment = this.#open(parseInt(name, 10), name.endsWith(COMPACTED) ? COMPACTED : WRITTEN)
      return { baseOffset: segment.baseOffset, batches: segment.recover(i === names.length - 1) }
    })
  }

  append(batch: Buffer): StoredBatch {
    const segment = this.#segments.at(-1) ?? this.#open(0, WRITTEN)
    return segment.append(batch)
  }

  roll(baseOffset: number): void {
    this.#open(baseOffset, WRITTEN)
  }

  deleteOldest(): void {
    const { path } = present(this.#segments.shift(), 'the oldest segment')
    this.#remove(path)
  }

  replace(position: number, batches: readonly Buffer[]): readonly StoredBatch[] {
    const { path, baseOffset } = present(this.#segments[position], 'the segment to replace')
    if (batches.length === 0 && position > 0) {
      this.#segments.splice(position, 1)
      this.#remove(path)
      return []
    }
    const compacted = join(this.#folder, nameOf(baseOffset, COMPACTED))
    writeWhole(join(this.#folder, nameOf(baseOffset, UNFINISHED)), batches)
    this.#files.close(compacted)
    renameSync(join(this.#folder, nameOf(baseOffset, UNFINISHED)), compacted)
    if (path !== compacted) this.#remove(path)
    const segment = new SegmentFile(compacted, baseOffset, this.#files)
    this.#segments[position] = segment
    return segment.recover(false)
  }

  closeFiles(): void {
    for (const { path } of this.#segments) this.#files.close(path)
  }

  /** Removes what a process has left that ended while it replaced a segment. */
  #finishReplacements(): void {
    for (const name of readdirSync(this.#folder)) {
      if (name.endsWith(UNFINISHED)) rmSync(join(this.#folder, name))
      if (!name.endsWith(COMPACTED)) continue
      const replaced = join(this.#folder, nameOf(parseInt(name, 10), WRITTEN))
      if (existsSync(replaced)) rmSync(replaced)
    }
  }

  #remove(path: string): void {
    this.#files.close(path)
    rmSync(path)
  }

  #open(baseOffset: number, suffix: string): SegmentFile {
    const segment = new SegmentFile(join(this.#folder, nameOf(baseOffset, suffix)), baseOffset, this.#files)
    this.#segments.push(segment)
    return segment
  }
}

function nameOf(baseOffset: number, suffix: string): string {
  return `${String(baseOffset).padStart(OFFSET_DIGITS, '0')}${suffix}`
}

/** On the disk before it takes the place of another file. */
function writeWhole(path: string, batches: readonly Buffer[]): void {
  const descriptor = openSync(path, 'w', 0o600)
  try {
    for (const batch of batches) appendAll(descriptor, batch)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
